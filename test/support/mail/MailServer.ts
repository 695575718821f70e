import { Effect } from "effect"
import { type ParsedMail, simpleParser } from "mailparser"
import type { AddressInfo, Socket } from "node:net"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"

/** A message that has arrived, whatever the response. */
export interface Arrived {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly user: string | undefined
  readonly secure: boolean
  readonly mail: ParsedMail
}

/**
 * Reaction of a mail server to a complete message: it accepts it, returns an error, closes the connection, or is
 * silent.
 */
export type Reaction = "take" | "cut" | "silence" | { readonly code: number; readonly text: string }

export interface MailServer {
  port: number
  readonly arrived: Array<Arrived>
  onMessage: () => Reaction
  onRecipient: (address: string) => Reaction
}

const answer = (reaction: Reaction, done: (error?: Error) => void, cut: () => void) => {
  if (reaction === "take") return done()
  if (reaction === "cut") return cut()
  if (reaction === "silence") return
  done(Object.assign(new Error(reaction.text), { responseCode: reaction.code }))
}

/** A real SMTP server on loopback. Without other options it supports neither TLS nor users. */
export const mailServer = (options: SMTPServerOptions = {}) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly server: MailServer; readonly close: Effect.Effect<void> }>((resume) => {
      const sockets = new Set<Socket>()
      const cut = () => {
        for (const socket of sockets) socket.destroy()
      }
      const smtp = new SMTPServer({
        disabledCommands: options.key === undefined ? ["STARTTLS", "AUTH"] : [],
        authOptional: options.onAuth === undefined,
        disableReverseLookup: true,
        logger: false,
        closeTimeout: 100,
        ...options,
        onRcptTo: ({ address }, _session, done) => answer(server.onRecipient(address), done, cut),
        onData: (stream, session, done) => {
          const chunks: Array<Buffer> = []
          stream.on("data", (chunk: Buffer) => chunks.push(chunk))
          stream.on("end", () => {
            void simpleParser(Buffer.concat(chunks)).then((mail) => {
              server.arrived.push({
                from: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
                to: session.envelope.rcptTo.map(({ address }) => address),
                user: session.user,
                secure: session.secure,
                mail
              })
              answer(server.onMessage(), done, cut)
            })
          })
        }
      })
      const server: MailServer = {
        port: 0,
        arrived: [],
        onMessage: () => "take",
        onRecipient: () => "take"
      }
      // A client's error ends its own connection.
      smtp.on("error", () => {})
      smtp.server.on("connection", (socket: Socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
      })
      smtp.listen(0, "127.0.0.1", () => {
        server.port = (smtp.server.address() as AddressInfo).port
        const close = Effect.callback<void>((done) => {
          cut()
          smtp.close(() => done(Effect.void))
        })
        resume(Effect.succeed({ server, close }))
      })
    }),
    ({ close }) => close
  ).pipe(Effect.map(({ server }): MailServer => server))
