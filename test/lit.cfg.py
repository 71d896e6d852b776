# Runs every lit test of the project; `ninja check-dyn` gives it the build folder. Parameters (lit -D NAME=VALUE):
#   models   folder of the shared models and tables; tests that need them are skipped without it (default: ../shared of
#            the checkout)

import glob
import os
import shutil

import lit.formats
import lit.util

config.name = "dyn"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "examples", "unit", "python", "fuzz", "benchmarks", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.dyn_build, "test")

shared = lit_config.params.get("models", os.path.join(config.dyn_source, os.pardir, "shared"))
if os.path.isdir(os.path.join(shared, "models")):
    config.available_features.add("models")
if os.path.isdir(os.path.join(shared, "goldens")):
    config.available_features.add("goldens")
config.substitutions.append(("%goldens", os.path.abspath(os.path.join(shared, "goldens"))))
config.substitutions.append(("%models", os.path.abspath(os.path.join(shared, "models"))))
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%build", config.dyn_build))
config.substitutions.append(("%cc", config.cc))
config.substitutions.append(("%cxx", config.cxx))
config.substitutions.append(("%cmake", config.cmake))
config.substitutions.append(("%mlir_dir", config.mlir_dir))

# A tool that was not built makes its tests unsupported, not failed: `REQUIRES: dyn-run`.
ptxas = glob.glob(os.path.join(config.dyn_source, ".venv/lib/python*/site-packages/nvidia/cu*/bin"))
tools = [os.path.join(config.dyn_build, "bin"), config.llvm_tools, *ptxas]
config.environment["PATH"] = os.path.pathsep.join(tools + [config.environment.get("PATH", "")])
for name in ("dyn-opt", "dyn-translate", "dyn-run", "dyn-prove", "dyn-lsp-server"):
    if os.access(os.path.join(config.dyn_build, "bin", name), os.X_OK):
        config.available_features.add(name)

if os.path.exists(os.path.join(config.dyn_build, "lib", "libdyn_compiler.so")):
    config.available_features.add("dyn-compiler")

# Only Clang has libFuzzer.
for name in ("symbolic-text-fuzz", "import-fuzz"):
    if os.access(os.path.join(config.dyn_build, "fuzz", name), os.X_OK):
        config.available_features.add(name)

# Cubins need ptxas, from a CUDA toolkit or from PyPI.
if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
