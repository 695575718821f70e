import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import { registerHooks } from "node:module"
import * as Os from "node:os"
import * as Path from "node:path"
import { promisify } from "node:util"

const root = Path.join(import.meta.dirname, "../../..")

// The generator needs the compiler API of TypeScript 5, which TypeScript 7 no longer has.
registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier === "typescript" && context.parentURL?.includes("/openapi-typescript/") ? "typescript5" : specifier,
      context
    )
})

/** The types that `openapi-typescript` generates from the document. */
export const generated = Effect.promise(async () => {
  const { astToString, default: generate } = await import("openapi-typescript")
  return astToString(await generate(await Fs.readFile(Path.join(root, "schemas/openapi.json"), "utf8")))
})

const options = {
  compilerOptions: {
    target: "ES2024",
    lib: ["ES2024", "DOM"],
    module: "NodeNext",
    types: [],
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    allowImportingTsExtensions: true
  },
  include: ["*.ts"]
}

/** A folder with these files, outside this project's settings, with the project's dependencies. */
export const folderOf = (files: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await Fs.mkdtemp(Path.join(Os.tmpdir(), "folio-client-"))
      await Fs.symlink(Path.join(root, "node_modules"), Path.join(folder, "node_modules"))
      const all = { ...files, "tsconfig.json": JSON.stringify(options), "package.json": '{"type":"module"}' }
      for (const [name, text] of Object.entries(all)) await Fs.writeFile(Path.join(folder, name), text)
      return folder
    }),
    (folder) => Effect.promise(() => Fs.rm(folder, { recursive: true, force: true }))
  )

/** The output of a program, whether or not it succeeds. */
export const run = (folder: string, ...args: ReadonlyArray<string>) =>
  Effect.promise((signal) =>
    promisify(execFile)(process.execPath, args, { cwd: folder, signal }).then(
      ({ stdout }) => stdout,
      (error: { readonly stdout: string; readonly stderr: string }) => error.stdout + error.stderr
    )
  )

/** The compiler's output for a folder. */
export const compile = (folder: string) =>
  run(folder, Path.join(root, "node_modules/typescript/bin/tsc"), "-p", folder, "--pretty", "false")
