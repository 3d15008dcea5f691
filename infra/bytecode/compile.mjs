// Compile a folder's Python with the very CPython version that the Lambda runtime has.
//
// The build machine may have any Python; Pyodide is CPython 3.13 as WebAssembly, and bytecode does not
// depend on the platform.  Unchecked: the runtime trusts it without looking at the source's time or hash.
//
// usage: node compile.mjs <node_modules> <folder> <where the folder will be at run time> <how quiet: 1 or 2>

import { createRequire } from "node:module";
import { resolve } from "node:path";

const [modules, folder, installed, quiet] = process.argv.slice(2);
const { loadPyodide } = createRequire(resolve(modules, "pyodide"))("pyodide");

const python = await loadPyodide();
python.FS.mkdirTree("/asset");
python.FS.mount(python.FS.filesystems.NODEFS, { root: resolve(folder) }, "/asset");
python.globals.set("installed", installed);
python.globals.set("quiet", Number(quiet));
const compiled = python.runPython(`
import compileall
from py_compile import PycInvalidationMode

compileall.compile_dir(
    "/asset",
    maxlevels=100,
    ddir=installed,
    force=True,
    quiet=quiet,
    invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
)
`);
process.exit(compiled ? 0 : 1);
