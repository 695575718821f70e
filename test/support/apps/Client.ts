import { Effect, Schema } from "effect"

/** A response, byte for byte. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails on anything else
  readonly json: any
}

/** No response arrived: the service may or may not have executed the request. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", { message: Schema.String }) {}

export interface Client {
  readonly apiKey: string
  readonly request: (
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly key?: string }
  ) => Effect.Effect<Answer, NoAnswer>
  readonly get: (path: string) => Effect.Effect<Answer, NoAnswer>
  /** `key` is the Idempotency-Key. */
  readonly post: (path: string, body: unknown, options?: { readonly key?: string }) => Effect.Effect<Answer, NoAnswer>
}

const read = async (response: Response): Promise<Answer> => {
  const text = await response.text()
  const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json")
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
}

/** A client of the service at `url` with the key `apiKey`. */
export const makeClient = (url: string, apiKey: string): Client => {
  const request: Client["request"] = (method, path, { body, key } = {}) =>
    Effect.tryPromise({
      try: async (signal) =>
        read(
          await fetch(url + path, {
            method,
            signal,
            headers: {
              Authorization: `Bearer ${apiKey}`,
              ...(body === undefined ? {} : { "Content-Type": "application/json" }),
              ...(key === undefined ? {} : { "Idempotency-Key": key })
            },
            ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
          })
        ),
      catch: (cause) => new NoAnswer({ message: String(cause) })
    })
  return {
    apiKey,
    request,
    get: (path) => request("GET", path),
    post: (path, body, options) => request("POST", path, { body, ...options })
  }
}
