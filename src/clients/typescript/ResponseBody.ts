/* The maximum size and the media types of the responses that the clients read. */

/** The largest body that the client reads, in bytes. The PHP and Python clients have the same limit. */
const bodyMax = 32 * 1024 * 1024

/** A body that the client can't take. Another attempt would get the same body. */
export class UnusableBody extends Error {}

/** Gathers the chunks of a body as they arrive. */
export const gathering = () => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  return {
    /** Adds a chunk. Throws `UnusableBody` if the body becomes too large. */
    add: (chunk: Uint8Array): void => {
      length += chunk.length
      if (length > bodyMax)
        throw new UnusableBody(`The response has more than ${bodyMax} bytes. Request fewer objects with limit.`)
      chunks.push(chunk)
    },
    bytes: (): Uint8Array<ArrayBuffer> => {
      const bytes = new Uint8Array(length)
      let at = 0
      for (const chunk of chunks) {
        bytes.set(chunk, at)
        at += chunk.length
      }
      return bytes
    }
  }
}

/** Reads a body. If the body is too large, stops and rejects with `UnusableBody`. */
export const bytesOf = async (response: Response): Promise<Uint8Array<ArrayBuffer>> => {
  const body = gathering()
  const reader = response.body?.getReader()
  try {
    // Some platforms provide no stream of the body.
    if (reader === undefined) body.add(new Uint8Array(await response.arrayBuffer()))
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) body.add(part.value)
    return body.bytes()
  } catch (error) {
    await reader?.cancel().catch(() => {})
    throw error
  }
}

const json = /^application\/json\b/i
const files = [
  [/\/pdf$/, /^application\/pdf\b/i],
  [/\/xml$/, /^application\/xml\b/i],
  [/\/logo$/, /^image\/(?:png|jpeg)\b/i]
] as const

/** The media type of an operation's file; undefined for an operation that returns JSON. `path` may be a template. */
const fileType = (method: string, path: string) =>
  method === "GET" ? files.find(([end]) => end.test(path))?.[1] : undefined

/** Whether the operation returns a file. */
export const isFile = (method: string, path: string): boolean => fileType(method, path) !== undefined

/** Whether a successful response has the media type of its operation: the file's type, or JSON. */
export const hasItsType = (method: string, path: string, type: string | undefined): boolean =>
  (fileType(method, path) ?? json).test(type ?? "")

/** The value of a JSON text; undefined if the text is not JSON. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value of a JSON body; undefined if the body is not JSON. */
export const parsed = (bytes: Uint8Array): unknown => jsonOf(new TextDecoder().decode(bytes))

export const isObject = (body: unknown): body is object =>
  typeof body === "object" && body !== null && !Array.isArray(body)
