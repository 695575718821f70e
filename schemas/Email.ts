import { Schema } from "effect"
import { EmailStatus } from "./EmailStatus.ts"
import { field } from "./Field.ts"
import { DocumentKind } from "./FiscalDocument.ts"
import { DocumentId, EmailId, InvoiceId } from "./Id.ts"
import { Instant, Timestamp } from "./Money.ts"
import { addressFields } from "./Party.ts"
import { pageQuery } from "./Page.ts"
import { Metadata, text } from "./Text.ts"

const fields = {
  id: EmailId,
  object: Schema.Literal("email"),
  livemode: field(
    Schema.Boolean,
    "`true` for an e-mail of a live document. E-mails of test documents are not sent to anybody."
  ),
  document_id: field(
    DocumentId,
    "The id of the invoice or note that the e-mail carries.",
    InvoiceId.make("inv_01k9z3v8c2m4n6p8q0r2s4t6v8")
  ),
  document_type: field(DocumentKind, "The kind of the document that the e-mail carries.", "invoice"),
  full_number: field(Schema.String, "The full number of the document, prefix and number together.", "SETP990000001"),
  to: field(Schema.String, "The address that the e-mail is sent to.", "facturas@cliente.test"),
  status: EmailStatus.annotateKey({ examples: ["delivered"] }),
  at: field(Timestamp, "The time since which the e-mail has its status."),
  reason: field(
    Schema.NullOr(Schema.String),
    "What the mail server or the mail provider said when the e-mail was not accepted; null otherwise.",
    null
  ),
  metadata: field(Metadata, "The metadata of the document.")
}

/** An e-mail as events carry it, and as the answer to a request to e-mail a document carries it. */
export class EmailSnapshot extends Schema.Opaque<EmailSnapshot>()(
  Schema.Struct(fields).annotate({
    identifier: "EmailSnapshot",
    description: "An e-mail that carries a document to its customer."
  })
) {}

const size = field(Schema.Int, "The size in bytes.", 48_213)

export class Email extends Schema.Opaque<Email>()(
  Schema.Struct({
    ...fields,
    attempts: field(Schema.Int, "The number of attempts to hand the e-mail to a mail server.", 1),
    next_attempt_at: field(
      Schema.NullOr(Timestamp),
      "The time of the next planned attempt. Null while an attempt is under way, and when none is planned.",
      null
    ),
    subject: field(
      Schema.NullOr(Schema.String),
      "The subject, in the form that the tax authority prescribes; null when the e-mail could not be composed.",
      "900373115;Folio Sandbox S.A.S.;SETP990000001;01;Folio Sandbox S.A.S."
    ),
    text: field(
      Schema.NullOr(Schema.String),
      "The text of the e-mail.",
      "Adjuntamos la factura electrónica SETP990000001."
    ),
    archive: Schema.NullOr(
      Schema.Struct({
        name: Schema.String.annotateKey({ examples: ["SETP990000001.zip"] }),
        size,
        content: field(
          Schema.NullOr(Schema.String),
          "The content in base64; null unless the request has `content=true`.",
          null
        )
      })
    ).annotateKey({
      description: "The only attachment of the e-mail: a ZIP archive; null when the e-mail could not be composed."
    }),
    attachments: Schema.Array(
      Schema.Struct({ name: Schema.String.annotateKey({ examples: ["SETP990000001.xml"] }), size })
    ).annotateKey({ description: "The files inside the attached ZIP archive." }),
    created_at: Timestamp
  }).annotate({
    identifier: "Email",
    description: "An e-mail to the customer of a document, with its text and its attachment."
  })
) {}

export class EmailRequest extends Schema.Opaque<EmailRequest>()(
  Schema.Struct({
    to: field(
      Schema.optionalKey(addressFields.email),
      "The address to send the e-mail to; left out, the customer's.",
      "facturas@cliente.test"
    )
  }).annotate({
    identifier: "EmailRequest",
    description: "The address to e-mail the document to.",
    examples: [{ to: "facturas@cliente.test" }]
  })
) {}

export const EmailQuery = {
  ...pageQuery("em"),
  content: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({ message: "must be true or false" })
  ).annotateKey({ description: "`true`: the answer holds the content of the attachments, in base64." })
}

export const EmailNoticeType = Schema.Literals(["delivered", "bounced", "complained"]).annotate({
  message: "must be one of delivered, bounced, complained"
})
export type EmailNoticeType = typeof EmailNoticeType.Type

/** A mail provider's notice about a message that the mail provider was given. */
export class EmailNoticeRequest extends Schema.Opaque<EmailNoticeRequest>()(
  Schema.Struct({
    message_id: field(
      text(500),
      "The Message-ID of the message, with or without its angle brackets.",
      "<em_01k9z3v8c2m4n6p8q0r2s4t6v8.inv_01k9z3v8c2m4n6p8q0r2s4t6v8@folio.example.com>"
    ),
    type: EmailNoticeType,
    at: field(Instant, "The time at which it happened.", "2026-11-21T10:00:00-05:00"),
    reason: field(Schema.optionalKey(text(500)), "What the receiving mail server said.", "550 5.1.1 No such user")
  }).annotate({
    identifier: "EmailNoticeRequest",
    description: "What became of one e-mail.",
    examples: [
      {
        message_id: "<em_01k9z3v8c2m4n6p8q0r2s4t6v8.inv_01k9z3v8c2m4n6p8q0r2s4t6v8@folio.example.com>",
        type: "bounced",
        at: "2026-11-21T10:00:00-05:00",
        reason: "550 5.1.1 No such user"
      }
    ]
  })
) {}

/**
 * The answer to a notice of the mail provider. `recorded` is false when no such message exists, when the notice is already
 * known, or when the notice comes too late to say anything new.
 */
export class EmailNotice extends Schema.Opaque<EmailNotice>()(
  Schema.Struct({ object: Schema.Literal("email_notice"), recorded: Schema.Boolean }).annotate({
    identifier: "EmailNotice",
    description: "The notice was read. `recorded` is false when it said nothing new.",
    examples: [{ object: "email_notice", recorded: true }]
  })
) {}
