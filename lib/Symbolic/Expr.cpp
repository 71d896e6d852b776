#include "dyn/Symbolic/Solver.h"
#include "dyn/Symbolic/Parser.h"
