import { Effect } from "effect"
import { listening } from "./Listening.ts"

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number }
}

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: ReadonlyArray<Attribute>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
}

export const attributeOf = (span: Span, key: string) =>
  span.attributes.find((attribute) => attribute.key === key)?.value.stringValue

/** An OpenTelemetry collector on 127.0.0.1 that records its requests (bytes and headers) and the spans. */
export const collector = Effect.gen(function* () {
  const bytes: Array<string> = []
  const spans: Array<Span> = []
  const port = yield* listening((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      bytes.push(`${request.url} ${JSON.stringify(request.headers)} ${body}`)
      const { resourceSpans } = JSON.parse(body)
      for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
      response.end("{}")
    })
  })
  return { url: `http://127.0.0.1:${port}`, bytes, spans }
})
