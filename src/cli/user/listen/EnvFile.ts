import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import { Failed } from "../Failures.ts"

const line = (name: string) => new RegExp(`^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=)[^\\r\\n]*`, "gm")

/** Sets `name` in a settings file: changes only its line, or adds one at the end. */
export const withSetting = (content: string, name: string, value: string): string => {
  if (line(name).test(content)) return content.replaceAll(line(name), (_, begin: string) => `${begin}${value}`)
  const newline = content.includes("\r\n") ? "\r\n" : "\n"
  const separator = content === "" || content.endsWith("\n") ? "" : newline
  return `${content}${separator}${name}=${value}${newline}`
}

/** Writes a setting into a settings file. Only the owner can read a file that this creates. */
export const writeSetting = (path: string, name: string, value: string) =>
  Effect.try({
    try: () => {
      const isThere = Fs.existsSync(path)
      const content = isThere ? Fs.readFileSync(path, "utf8") : ""
      const changed = withSetting(content, name, value)
      if (changed === content) return false
      // Write a new file next to it and rename that, so that a crash never loses the other settings.
      const real = isThere ? Fs.realpathSync(path) : path
      const unfinished = `${real}.${process.pid}`
      Fs.rmSync(unfinished, { force: true })
      Fs.writeFileSync(unfinished, changed, { mode: 0o600, flag: "wx", flush: true })
      if (isThere) Fs.chmodSync(unfinished, Fs.statSync(real).mode & 0o777)
      Fs.renameSync(unfinished, real)
      return true
    },
    catch: (cause) =>
      new Failed({ message: `${path} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}` })
  })
