/* How much of a response the clients read, and of which media type. */

/** The largest body that is read, in bytes, as the clients in PHP and Python have it. */
const bodyMax = 32 * 1024 * 1024

/** A body that the client can't take. Another attempt would get the same body. */
export class UnusableBody extends Error {}

/** Gathers the chunks of a body as they arrive. */
export const gathering = () => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  return {
    /** Throws `UnusableBody` at the chunk that is too much. */
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

/** Reads a body. Rejects with `UnusableBody`, and reads no more, when it is too large. */
export const bytesOf = async (response: Response): Promise<Uint8Array<ArrayBuffer>> => {
  const body = gathering()
  const reader = response.body?.getReader()
  try {
    // Not every platform gives the body as a stream.
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

/** The media type of an operation's file; undefined for an operation with JSON. `path` may be a template. */
const fileType = (method: string, path: string) =>
  method === "GET" ? files.find(([end]) => end.test(path))?.[1] : undefined

/** Whether a success of the operation is a file. */
export const isFile = (method: string, path: string): boolean => fileType(method, path) !== undefined

/** Whether a success has the media type of its operation: the type of the file, or JSON. */
export const hasItsType = (method: string, path: string, type: string | undefined): boolean =>
  (fileType(method, path) ?? json).test(type ?? "")

/** What a text of JSON says; undefined for another text. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a body of JSON says; undefined for another body. */
export const parsed = (bytes: Uint8Array): unknown => jsonOf(new TextDecoder().decode(bytes))

export const isObject = (body: unknown): body is object =>
  typeof body === "object" && body !== null && !Array.isArray(body)
