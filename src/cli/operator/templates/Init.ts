import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { makeDirectory } from "../../../runtime/process/DataFiles.ts"
import { type Template, templates, textOf } from "./Templates.ts"

/** A file cannot be written. The message is one line with the fix. */
class FileError extends Schema.TaggedError<FileError>()("FileError", { message: Schema.String }) {}

const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

/**
 * Writes a template into a folder, and creates the folder if needed. Fails if the file exists, because it may have
 * changes.
 */
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
          ? `${path} exists and was not changed. Remove it, or write to another folder: --out DIR`
          : `${path} cannot be written (${reasonOf(cause)}). Choose a folder that this user can write to: --out DIR`
      })
  })
  yield* Console.log(`Wrote ${path}`)
})

const folder = Flag.String("out").pipe(
  Flag.withDescription("Write the file into this folder; never overwrites a file"),
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
    // `Console.log` adds the final newline.
    yield* Console.log(textOf(template).trimEnd())
  })
).pipe(Command.withDescription("Print a file to deploy or monitor the service"))
