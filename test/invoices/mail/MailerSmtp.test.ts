import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import { zipSync } from "fflate"
import type { AddressObject } from "mailparser"
import { createServer } from "node:net"
import type { SMTPServerOptions } from "smtp-server"
import { type Envelope, MailerUnavailable, type Message } from "../../../src/invoices/mail/Mailer.ts"
import { sendOverSmtp } from "../../../src/invoices/mail/MailerSmtp.ts"
import type { SmtpOptions } from "../../../src/invoices/mail/SmtpSettings.ts"
import { mailServer, type MailServer, type Reaction } from "../../support/mail/MailServer.ts"
import { issue } from "../../webhooks/sender/Certificates.ts"
import { it } from "../../support/Tests.ts"

const envelope: Envelope = { reference: "em_1.inv_1", livemode: true, to: "compras@cliente.test" }

const message = {
  subject: "900373115;Panadería Ñandú S.A.S.;SETP990000001;01;Panadería Ñandú S.A.S.",
  text: "Adjuntamos la factura.\n",
  html: "<p>Adjuntamos la factura.</p>",
  from_name: 'Panadería Ñandú, "La Mejor" S.A.S.',
  reply_to: "facturas@emisor.test",
  archive: { name: "SETP990000001.zip", bytes: zipSync({ "SETP990000001.xml": Buffer.from("<Invoice/>") }) }
} satisfies Message

const sending = (
  { port }: { readonly port: number },
  options: Partial<SmtpOptions> & { readonly at?: string } = {}
) => {
  const { at = "smtp://127.0.0.1", ...rest } = options
  const send = sendOverSmtp({ url: Redacted.make(`${at}:${port}`), from: "documentos@folio.test", ...rest })
  return (to = envelope.to, what: Effect.Effect<Message> = Effect.succeed(message)) => send({ ...envelope, to }, what)
}

const addressesOf = (field: AddressObject | Array<AddressObject> | undefined) =>
  [field ?? []].flat().flatMap(({ value }) => value)

const failure = <A, E>(effect: Effect.Effect<A, E>) => Effect.flip(Effect.map(effect, () => assert.fail("it was sent")))

const { cert, key } = issue({ name: "127.0.0.1", isCa: true })
const tls = { key, cert }

describe("MailerSmtp", () => {
  it.live("sends the whole message as given", function* () {
    const server = yield* mailServer()
    const sent = yield* sending(server)()
    assert.deepStrictEqual(sent, { complained: false })
    const [{ from, mail, secure, to }, ...more] = server.arrived as [MailServer["arrived"][0]]
    assert.lengthOf(more, 0)
    assert.deepStrictEqual([from, to, secure], ["documentos@folio.test", ["compras@cliente.test"], false])
    assert.strictEqual(mail.messageId, "<em_1.inv_1@folio.test>")
    assert.strictEqual(mail.subject, message.subject)
    assert.deepStrictEqual(addressesOf(mail.from), [{ address: "documentos@folio.test", name: message.from_name }])
    assert.deepStrictEqual(addressesOf(mail.to), [{ address: "compras@cliente.test", name: "" }])
    assert.deepStrictEqual(addressesOf(mail.replyTo)[0]?.address, "facturas@emisor.test")
    assert.strictEqual(mail.text, message.text)
    assert.strictEqual(mail.html, message.html)
    assert.deepStrictEqual(
      mail.attachments.map(({ content, contentType, filename }) => [filename, contentType, content]),
      [[message.archive.name, "application/zip", Buffer.from(message.archive.bytes)]]
    )
  })

  it.live("sends a message without an attachment and without an address for replies", function* () {
    const server = yield* mailServer()
    yield* sending(server)(envelope.to, Effect.succeed({ ...message, reply_to: null, archive: null }))
    const [arrived] = server.arrived
    assert.deepStrictEqual(arrived?.mail.attachments, [])
    assert.isUndefined(arrived?.mail.replyTo)
    assert.strictEqual(arrived?.mail.text, message.text)
  })

  it.live("lets no text become a header or another recipient", function* () {
    const server = yield* mailServer()
    const evil = "x\r\nBcc: victim@example.com\r\n\r\nHello"
    const wicked = { ...message, subject: evil, from_name: evil, archive: { ...message.archive, name: evil } }
    yield* sending(server)(envelope.to, Effect.succeed(wicked))
    const [arrived] = server.arrived
    assert.deepStrictEqual(arrived?.to, ["compras@cliente.test"])
    assert.isUndefined(arrived?.mail.bcc)
    assert.deepStrictEqual(addressesOf(arrived?.mail.to), [{ address: "compras@cliente.test", name: "" }])
    assert.strictEqual(arrived?.mail.text, message.text)
    const several = yield* Effect.exit(sending(server)("a@b.test, victim@example.com"))
    const recipients = server.arrived.flatMap(({ to }) => to)
    assert.isFalse(recipients.includes("victim@example.com"), String(Exit.isSuccess(several)))
  })

  const reactions: ReadonlyArray<readonly [what: string, Reaction, "MailerRefused" | "MailerUnavailable"]> = [
    ["550 no such user", { code: 550, text: "5.1.1 No such user" }, "MailerRefused"],
    ["553 wrong address", { code: 553, text: "5.1.3 Bad address" }, "MailerRefused"],
    ["450 later", { code: 450, text: "4.2.0 Greylisted" }, "MailerUnavailable"],
    ["452 full", { code: 452, text: "4.2.2 Mailbox full" }, "MailerUnavailable"],
    ["a cut line", "cut", "MailerUnavailable"]
  ]
  it.live.each(reactions)("maps %s, for a recipient and for a message", function* ([what, reaction, expected]) {
    const server = yield* mailServer()
    server.onRecipient = () => reaction
    const ofRecipient = yield* failure(sending(server)())
    assert.strictEqual(ofRecipient._tag, expected, what)
    if (typeof reaction !== "string") assert.include(ofRecipient.message, reaction.text)
    assert.lengthOf(server.arrived, 0)
    server.onRecipient = () => "take"
    server.onMessage = () => reaction
    assert.strictEqual((yield* failure(sending(server)()))._tag, expected, what)
    assert.lengthOf(server.arrived, 1)
    server.onMessage = () => "take"
    yield* sending(server)()
    assert.deepStrictEqual(
      server.arrived.map(({ mail }) => mail.messageId),
      ["<em_1.inv_1@folio.test>", "<em_1.inv_1@folio.test>"]
    )
  })

  it.live("times out if the server sends nothing before or after a message", function* () {
    const server = yield* mailServer()
    server.onMessage = () => "silence"
    const late = yield* failure(sending(server, { timeout: "500 millis" })())
    assert.deepStrictEqual([late._tag, late.message], ["MailerUnavailable", "The mail server did not respond in time."])
    const mute = yield* Effect.acquireRelease(
      Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
        const listening = createServer(() => {}).listen(0, "127.0.0.1", () => {
          const address = listening.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          resume(Effect.succeed({ port, close: () => listening.close() }))
        })
      }),
      ({ close }) => Effect.sync(close)
    )
    assert.instanceOf(yield* failure(sending(mute, { timeout: "500 millis" })()), MailerUnavailable)
  })

  it.live("fails with MailerUnavailable if no server listens", function* () {
    assert.instanceOf(yield* failure(sending({ port: 1 })()), MailerUnavailable)
  })

  it.live("speaks TLS, by STARTTLS or from the start, and authenticates", function* () {
    const known: Array<string> = []
    const options: SMTPServerOptions = {
      ...tls,
      onAuth: ({ password, username }, _session, done) => {
        known.push(`${username}:${password}`)
        if (password === "p@ss:word") done(null, { user: "folio" })
        else done(Object.assign(new Error("5.7.8 Invalid"), { responseCode: 535 }))
      }
    }
    for (const [protocol, secure] of [
      ["smtp", false],
      ["smtps", true]
    ] as const) {
      const server = yield* mailServer({ ...options, secure })
      const at = `${protocol}://folio:p%40ss%3Aword@127.0.0.1`
      yield* sending(server, { at, ca: cert })()
      assert.deepInclude(server.arrived[0], { user: "folio", secure: true })
      const wrong = sending(server, { at: `${protocol}://folio:wrong@127.0.0.1`, ca: cert })
      // An unknown user may be known tomorrow, so the failure is not the recipient's.
      assert.instanceOf(yield* failure(wrong()), MailerUnavailable)
      assert.lengthOf(server.arrived, 1)
    }
    assert.deepStrictEqual(known, ["folio:p@ss:word", "folio:wrong", "folio:p@ss:word", "folio:wrong"])
  })

  it.live("sends nothing to a server without TLS or with an untrusted certificate", function* () {
    const stranger = yield* mailServer({ ...tls, secure: true })
    assert.instanceOf(yield* failure(sending(stranger, { at: "smtps://127.0.0.1" })()), MailerUnavailable)
    // The address leads to this machine but is not one of its names.
    const plain = yield* mailServer()
    const refused = yield* failure(sending(plain, { at: "smtp://0.0.0.0" })())
    assert.instanceOf(refused, MailerUnavailable)
    assert.deepStrictEqual([stranger.arrived, plain.arrived], [[], []])
  })

  it.live("sends nothing when the content of the message cannot be made", function* () {
    const server = yield* mailServer()
    const exit = yield* Effect.exit(sending(server)(envelope.to, Effect.die("no message")))
    assert.isTrue(Exit.isFailure(exit))
    assert.lengthOf(server.arrived, 0)
  })
})
