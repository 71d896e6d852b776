# Runs the GoogleTest programs in build/unit, one lit test for each of their tests.

import os

import lit.formats

config.name = "dyn-unit"
config.suffixes = []
config.test_exec_root = os.path.join(config.dyn_build, "unit")
config.test_source_root = config.test_exec_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
