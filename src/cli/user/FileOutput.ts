import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import { Failed, Misuse } from "./Failures.ts"
import { shownJson } from "./Table.ts"

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or directory",
  EISDIR: "it is a directory",
  EACCES: "this user has no permission",
  EEXIST: "the file exists. Remove it, or name another with -o"
}

const reasonOf = (cause: unknown) => {
  if (!(cause instanceof Error)) return String(cause)
  return ("code" in cause && reasons[String(cause.code)]) || cause.message
}

// Not a synchronous read, which fails with EAGAIN if the other end of the pipe has not written yet.
const standardInput = async () => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** The content of a file; `-` is standard input. */
export const bytesOf = (file: string): Effect.Effect<Uint8Array, Misuse> =>
  Effect.tryPromise({
    try: async (): Promise<Uint8Array> => (file === "-" ? standardInput() : Fs.promises.readFile(file)),
    catch: (cause) =>
      new Misuse({ message: `${file === "-" ? "Standard input" : file} cannot be read: ${reasonOf(cause)}` })
  })

/** The text of a file; `-` is standard input. */
export const textOf = (file: string): Effect.Effect<string, Misuse> =>
  Effect.flatMap(bytesOf(file), (bytes) =>
    Effect.try({
      // Without `fatal`, an invoice would show other encodings as "Caf\ufffd".
      try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
      catch: () =>
        new Misuse({
          message: `${file === "-" ? "Standard input" : file} is not in UTF-8.`,
          hint: "Save it in UTF-8; in Excel, choose the format CSV UTF-8."
        })
    })
  )

/** Writes a file. Replaces an existing file unless `isNew`. */
export const write = (
  file: string,
  bytes: Uint8Array,
  { isNew }: { readonly isNew: boolean }
): Effect.Effect<void, Failed> =>
  Effect.tryPromise({
    try: () => Fs.promises.writeFile(file, bytes, { flag: isNew ? "wx" : "w" }),
    catch: (cause) => new Failed({ message: `${file} cannot be written: ${reasonOf(cause)}` })
  })

/**
 * Writes a response body to standard output unchanged. At a terminal, escapes control characters, adds a newline before
 * the prompt, and rejects binary content. With `isLine`, adds the newline in a pipe too.
 */
export const writeOut = (
  bytes: Uint8Array,
  { isLine = false, isText }: { readonly isText: boolean; readonly isLine?: boolean }
): Effect.Effect<void, Misuse> =>
  Effect.suspend(() => {
    const { isTTY } = process.stdout
    if (isTTY && !isText) {
      const message = "The response is binary, so the terminal cannot show it."
      return new Misuse({ message, hint: "Write it to a file: … > FILE" })
    }
    process.stdout.write(isTTY ? shownJson(new TextDecoder().decode(bytes)) : bytes)
    return Effect.callback<void>((resume) => {
      process.stdout.write(isTTY || isLine ? "\n" : "", () => resume(Effect.void))
    })
  })
