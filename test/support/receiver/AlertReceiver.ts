import { Effect, Schema } from "effect"
import { IncidentAlert } from "../../../schemas/Incident.ts"
import { listening } from "../apps/Listening.ts"

/** An alert as it arrived. */
export interface AlertReceived {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly alert: IncidentAlert
}

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(IncidentAlert))

/** A receiver of alerts at `ALERT_URL`, on 127.0.0.1; it answers 200 by default. `never`: no response. */
export const alertReceiver = Effect.gen(function* () {
  const received: Array<AlertReceived> = []
  const state: { answer: number | "never"; location: string | undefined } = { answer: 200, location: undefined }
  const port = yield* listening((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("error", () => {})
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      received.push({ body, headers: request.headers as Record<string, string>, alert: decode(body) })
      if (state.answer === "never") return
      response.writeHead(state.answer, state.location === undefined ? {} : { location: state.location }).end("ok")
    })
  })
  return {
    url: `http://127.0.0.1:${port}/services/T0001/B0001/aaaabbbbccccdddd`,
    received,
    state,
    /** "opened endpoint_failing", in the order of arrival. */
    told: () => received.map(({ alert }) => `${alert.state} ${alert.kind}`)
  }
})
