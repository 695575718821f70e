import { Schema } from "effect"
import { EmailStatus } from "./EmailStatus.ts"
import { DocumentKind } from "./FiscalDocument.ts"
import { EmailId, InvoiceId, NoteId } from "./Id.ts"
import { Instant, Timestamp } from "./Money.ts"
import { addressFields } from "./Party.ts"
import { PageQuery } from "./Page.ts"
import { Metadata, text } from "./Text.ts"

/** Whatever is sent to an acquirer: an invoice or a note. */
export const DocumentId = Schema.Union([InvoiceId, NoteId])
export type DocumentId = typeof DocumentId.Type

const fields = {
  id: EmailId,
  object: Schema.Literal("email"),
  livemode: Schema.Boolean.annotateKey({ description: "Of a live document. Others leave no machine." }),
  document_id: DocumentId.annotateKey({
    description: "The invoice or note that it carries.",
    examples: [InvoiceId.make("inv_01k9z3v8c2m4n6p8q0r2s4t6v8")]
  }),
  document_type: DocumentKind.annotateKey({ description: "What that is.", examples: ["invoice"] }),
  full_number: Schema.String.annotateKey({ description: "Its prefix and number.", examples: ["SETP990000001"] }),
  to: Schema.String.annotateKey({ description: "Where it is sent.", examples: ["facturas@cliente.test"] }),
  status: EmailStatus.annotateKey({ examples: ["delivered"] }),
  at: Timestamp.annotateKey({ description: "Since when its status is that." }),
  reason: Schema.NullOr(Schema.String).annotateKey({
    description: "What the mail server or the provider said, where it was not taken.",
    examples: [null]
  }),
  metadata: Metadata.annotateKey({ description: "Of the document." })
}

/** An e-mail as events and the answer to a request for one carry it. */
export class EmailSnapshot extends Schema.Opaque<EmailSnapshot>()(
  Schema.Struct(fields).annotate({ identifier: "EmailSnapshot", description: "An e-mail to an acquirer." })
) {}

const size = Schema.Int.annotateKey({ description: "Bytes.", examples: [48_213] })

/** An e-mail with what it says and carries. */
export class Email extends Schema.Opaque<Email>()(
  Schema.Struct({
    ...fields,
    attempts: Schema.Int.annotateKey({ description: "How often it was handed to the mail server.", examples: [1] }),
    next_attempt_at: Schema.NullOr(Timestamp).annotateKey({
      description: "Null while an attempt is under way or none is planned.",
      examples: [null]
    }),
    subject: Schema.NullOr(Schema.String).annotateKey({
      description: "As the authority prescribes it; null where the message cannot be made.",
      examples: ["900373115;Folio Sandbox S.A.S.;SETP990000001;01;Folio Sandbox S.A.S."]
    }),
    text: Schema.NullOr(Schema.String).annotateKey({
      description: "The message.",
      examples: ["Adjuntamos la factura electrónica SETP990000001."]
    }),
    archive: Schema.NullOr(
      Schema.Struct({
        name: Schema.String.annotateKey({ examples: ["SETP990000001.zip"] }),
        size,
        content: Schema.NullOr(Schema.String).annotateKey({
          description: "In base64; null unless the request asks for it with `content=true`.",
          examples: [null]
        })
      })
    ).annotateKey({ description: "The one attachment: a ZIP." }),
    attachments: Schema.Array(
      Schema.Struct({ name: Schema.String.annotateKey({ examples: ["SETP990000001.xml"] }), size })
    ).annotateKey({ description: "The files in it." }),
    created_at: Timestamp
  }).annotate({ identifier: "Email", description: "An e-mail to an acquirer, with what it says and carries." })
) {}

/** What a client sends to have a document e-mailed again. */
export class EmailRequest extends Schema.Opaque<EmailRequest>()(
  Schema.Struct({
    to: Schema.optionalKey(addressFields.email).annotateKey({
      description: "Another address than the customer's.",
      examples: ["facturas@cliente.test"]
    })
  }).annotate({
    identifier: "EmailRequest",
    description: "Where to send a document once more.",
    examples: [{ to: "facturas@cliente.test" }]
  })
) {}

export const EmailQuery = {
  ...PageQuery,
  content: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({ message: "must be true or false" })
  ).annotateKey({ description: "Whether to show the attachments themselves." })
}

export const EmailNoticeType = Schema.Literals(["delivered", "bounced", "complained"]).annotate({
  message: "must be one of delivered, bounced, complained"
})
export type EmailNoticeType = typeof EmailNoticeType.Type

/** What a mail provider tells of a message that it was given. */
export class EmailNoticeRequest extends Schema.Opaque<EmailNoticeRequest>()(
  Schema.Struct({
    message_id: text(500).annotateKey({
      description: "The Message-ID of the message, with or without its angle brackets.",
      examples: ["<em_01k9z3v8c2m4n6p8q0r2s4t6v8.inv_01k9z3v8c2m4n6p8q0r2s4t6v8@folio.example.com>"]
    }),
    type: EmailNoticeType,
    at: Instant.annotateKey({ description: "When that was.", examples: ["2026-11-21T10:00:00-05:00"] }),
    reason: Schema.optionalKey(text(500)).annotateKey({
      description: "What the receiving server said.",
      examples: ["550 5.1.1 No such user"]
    })
  }).annotate({
    identifier: "EmailNoticeRequest",
    description: "What became of a message.",
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

/** `recorded` false: no such message, or it was known, or it comes too late to say anything new. */
export class EmailNotice extends Schema.Opaque<EmailNotice>()(
  Schema.Struct({ object: Schema.Literal("email_notice"), recorded: Schema.Boolean }).annotate({
    identifier: "EmailNotice",
    description: "A notice that was read. `recorded` is false where it said nothing new.",
    examples: [{ object: "email_notice", recorded: true }]
  })
) {}
