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
    "Mode of the document: `true` for live, `false` for test. Folio does not send emails of test documents."
  ),
  document_id: field(
    DocumentId,
    "Id of the invoice or note in the email.",
    InvoiceId.make("inv_01k9z3v8c2m4n6p8q0r2s4t6v8")
  ),
  document_type: field(DocumentKind, "Type of the document in the email.", "invoice"),
  full_number: field(Schema.String, "Full number of the document: prefix and number.", "SETP990000001"),
  to: field(Schema.String, "Email address of the recipient.", "facturas@cliente.test"),
  status: EmailStatus.annotateKey({ examples: ["delivered"] }),
  at: field(Timestamp, "Time at which the email reached its status."),
  reason: field(
    Schema.NullOr(Schema.String),
    "Reason that the mail server or the mail provider gave for not accepting the email. Null otherwise.",
    null
  ),
  metadata: field(Metadata, "Metadata of the document.")
}

/** An email in an event, and in the response to a request to email a document. */
export class EmailSnapshot extends Schema.Opaque<EmailSnapshot>()(
  Schema.Struct(fields).annotate({
    identifier: "EmailSnapshot",
    description: "An email that sends a document to its customer."
  })
) {}

const size = field(Schema.Int, "The size in bytes.", 48_213)

export class Email extends Schema.Opaque<Email>()(
  Schema.Struct({
    ...fields,
    attempts: field(Schema.Int, "Number of attempts to pass the email to a mail server.", 1),
    next_attempt_at: field(
      Schema.NullOr(Timestamp),
      "Time of the next scheduled attempt. Null during an attempt, and if no attempt is scheduled.",
      null
    ),
    subject: field(
      Schema.NullOr(Schema.String),
      "Subject, in the form that the tax authority prescribes. Null if Folio could not compose the email.",
      "900373115;Folio Sandbox S.A.S.;SETP990000001;01;Folio Sandbox S.A.S."
    ),
    text: field(
      Schema.NullOr(Schema.String),
      "Text of the email. Null if Folio could not compose the email.",
      "Adjuntamos la factura electrónica SETP990000001."
    ),
    archive: Schema.NullOr(
      Schema.Struct({
        name: Schema.String.annotateKey({ examples: ["SETP990000001.zip"] }),
        size,
        content: field(
          Schema.NullOr(Schema.String),
          "Content in base64. Null unless the request has `content=true`.",
          null
        )
      })
    ).annotateKey({
      description: "Email package (ZIP), the only attachment. Null if Folio could not compose the email."
    }),
    attachments: Schema.Array(
      Schema.Struct({ name: Schema.String.annotateKey({ examples: ["SETP990000001.xml"] }), size })
    ).annotateKey({ description: "Files inside the email package (ZIP)." }),
    created_at: Timestamp
  }).annotate({
    identifier: "Email",
    description: "An email to the customer of a document, with its text and its attachment."
  })
) {}

export class EmailRequest extends Schema.Opaque<EmailRequest>()(
  Schema.Struct({
    to: field(
      Schema.optionalKey(addressFields.email),
      "Email address of the recipient. If omitted, the customer's address.",
      "facturas@cliente.test"
    )
  }).annotate({
    identifier: "EmailRequest",
    description: "The recipient of the email.",
    examples: [{ to: "facturas@cliente.test" }]
  })
) {}

export const EmailQuery = {
  ...pageQuery("em"),
  content: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({ message: "must be true or false" })
  ).annotateKey({ description: "Option to include the content of the attachments in base64: `true` or `false`." })
}

export const EmailNoticeType = Schema.Literals(["delivered", "bounced", "complained"]).annotate({
  message: "must be one of delivered, bounced, complained"
})
export type EmailNoticeType = typeof EmailNoticeType.Type

/** A mail provider's notice about a message. */
export class EmailNoticeRequest extends Schema.Opaque<EmailNoticeRequest>()(
  Schema.Struct({
    message_id: field(
      text(500),
      "Message-ID of the message, with or without angle brackets.",
      "<em_01k9z3v8c2m4n6p8q0r2s4t6v8.inv_01k9z3v8c2m4n6p8q0r2s4t6v8@folio.example.com>"
    ),
    type: EmailNoticeType,
    at: field(Instant, "Time of the delivery, bounce or complaint.", "2026-11-21T10:00:00-05:00"),
    reason: field(Schema.optionalKey(text(500)), "Response of the receiving mail server.", "550 5.1.1 No such user")
  }).annotate({
    identifier: "EmailNoticeRequest",
    description: "A notice of the mail provider about an email.",
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
 * The response to a notice of the mail provider. `recorded` is false if the message does not exist, or if the notice
 * adds nothing because it is a repetition or too late.
 */
export class EmailNotice extends Schema.Opaque<EmailNotice>()(
  Schema.Struct({ object: Schema.Literal("email_notice"), recorded: Schema.Boolean }).annotate({
    identifier: "EmailNotice",
    description:
      "Confirmation of the notice. `recorded` is false if the message is unknown or the notice adds nothing new.",
    examples: [{ object: "email_notice", recorded: true }]
  })
) {}
