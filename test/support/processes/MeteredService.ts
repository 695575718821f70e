import { Effect } from "effect"
import { freePort, programAt, serviceProcess } from "./ServiceProcess.ts"

/** The service as a process whose event loop is watched. `longestTurn`: for how long it worked in one go, since it was last asked. */
export const meteredService = Effect.fnUntraced(function* (options: {
  readonly webhookAllow: string
  readonly env?: Readonly<Record<string, string>>
}) {
  const port = yield* freePort
  const service = yield* serviceProcess({
    ...options,
    env: { ...options.env, LOOP_PORT: String(port) },
    program: [programAt("test/support/processes/meteredMain.ts")]
  })
  const longestTurn = Effect.promise(async () => Number(await (await fetch(`http://127.0.0.1:${port}/`)).text()))
  return { ...service, longestTurn }
})
