import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as Path from "node:path"
import { inherited, programAt } from "./ServiceProcess.ts"

const root = Path.resolve(import.meta.dirname, "../../..")

export interface Said {
  readonly code: number | null
  readonly out: string
  readonly error: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails on anything else
  readonly json: any
}

/** Runs the installed folio command, and waits for its end. `json`: its output with --json. */
export const folioCommand = (words: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.callback<Said>((resume) => {
    const child = spawn(process.execPath, [programAt("src/cli/operator/folio.js"), ...words], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...inherited(), ...env }
    })
    let [out, error] = ["", ""]
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (error += chunk.toString()))
    child.once("close", (code) => {
      const isJson = words.includes("--json") && out.trim() !== ""
      resume(Effect.sync(() => ({ code, out, error, json: isJson ? JSON.parse(out) : undefined })))
    })
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

/** The options with which `folio accounts create` creates an account. */
export const issuer =
  "--nit|900373115|--legal-name|Prueba S.A.S.|--email|facturas@example.com|--address|Calle 1|--city-code|11001".split(
    "|"
  )

export interface DoctorSaid {
  readonly json: { readonly checks: ReadonlyArray<{ check: string; ok: boolean; state: string; advice?: string }> }
}

/** The doctor's checks that found an error. */
export const wrongIn = ({ json }: DoctorSaid) => json.checks.filter(({ ok }) => !ok).map(({ check }) => check)

/** The doctor's checks that found a gap for production. */
export const notedIn = ({ json }: DoctorSaid) =>
  json.checks.filter(({ state }) => state === "note").map(({ check }) => check)
