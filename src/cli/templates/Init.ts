import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { makeDirectory } from "../../platform/files/DataFiles.ts"
import { type Template, templates, textOf } from "./Templates.ts"

/** A file cannot be written. The message is one line that says what to do. */
class FileError extends Schema.TaggedError<FileError>()("FileError", { message: Schema.String }) {}

const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

/** Writes a template into a folder, which is made if it is missing. Fails when the file exists: it may hold changes. */
const write = Effect.fnUntraced(function* (template: Template, folder: string) {
  const path = Path.join(Path.resolve(folder), template.file)
  yield* Effect.try({
    try: () => {
      makeDirectory(Path.dirname(path), 0o755)
      Fs.writeFileSync(path, textOf(template), { flag: "wx" })
    },
    catch: (cause) =>
      new FileError({
        message: Fs.existsSync(path)
          ? `${path} exists and is left as it is. Remove it, or write to another folder: --out DIR`
          : `${path} cannot be written (${reasonOf(cause)}). Name a folder that this user may write to: --out DIR`
      })
  })
  yield* Console.log(`Wrote ${path}`)
})

const folder = Flag.String("out").pipe(
  Flag.withDescription("Write the file into this folder, never over one that exists"),
  Flag.optional
)

const described = templates.map(({ description, name }) => `${name}: ${description}`).join("; ")

export const init = Command.make(
  "init",
  {
    name: Argument.Literals(
      "name",
      templates.map(({ name }) => name)
    ).pipe(Argument.withDescription(described)),
    out: folder
  },
  Effect.fnUntraced(function* ({ name, out }) {
    const template: Template | undefined = templates.find((one) => one.name === name)
    if (template === undefined) return
    if (Option.isSome(out)) return yield* write(template, out.value)
    // The files end with a line end already.
    yield* Console.log(textOf(template).trimEnd())
  })
).pipe(Command.withDescription("Print a file with which to run or watch the service"))
