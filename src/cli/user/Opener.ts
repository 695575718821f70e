import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"

/** The program that opens a file or a URL; undefined without a display. */
const opener = (): readonly [string, ...ReadonlyArray<string>] | undefined => {
  if (process.platform === "darwin") return ["open"]
  if (process.platform === "win32") return ["explorer"]
  const hasDisplay = process.env["DISPLAY"] !== undefined || process.env["WAYLAND_DISPLAY"] !== undefined
  return hasDisplay ? ["xdg-open"] : undefined
}

/** Opens a file or a URL. Gives false if no program can open it. */
export const opened = (target: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const [program, ...words] = opener() ?? []
    if (program === undefined) return resume(Effect.succeed(false))
    const child = spawn(program, [...words, target], { detached: true, stdio: "ignore" })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("spawn", () => {
      child.unref()
      resume(Effect.succeed(true))
    })
  })
