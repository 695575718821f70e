import type { FastifyInstance } from "fastify"

/** A required environment variable. */
export const variable = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

/** Serves on PORT, if there is anything to serve; notifies the parent; ends on SIGTERM, after `close`. */
export const start = async (close: () => Promise<unknown>, server?: FastifyInstance): Promise<void> => {
  process.once("SIGTERM", async () => {
    await server?.close()
    await close()
    process.exit(0)
  })
  await server?.listen({ host: "127.0.0.1", port: Number(variable("PORT")) })
  process.send?.({ ready: true })
}
