import { Schema } from "effect"

/** Which e-mail this is, and where it goes. */
export interface Envelope {
  /** Stands in the Message-ID, the same at every attempt: whoever gets it twice can tell. */
  readonly reference: string
  readonly livemode: boolean
  readonly to: string
}

export interface Message {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly from_name: string
  readonly reply_to: string
  readonly archive: { readonly name: string; readonly bytes: Uint8Array }
}

/** The server has taken it. `complained`: the acquirer has marked it as spam already, as only the sandbox's do at once. */
export interface Sent {
  readonly complained: boolean
}

/** No answer, or one that says: not now. Whether the message was taken is not known; it is sent again. */
export class MailerUnavailable extends Schema.TaggedError<MailerUnavailable>()("MailerUnavailable", {
  message: Schema.String
}) {}

/** The server does not take this message, to this address, and will not later. */
export class MailerRefused extends Schema.TaggedError<MailerRefused>()("MailerRefused", { message: Schema.String }) {}

/** There is no server to send it with. */
export class MailerAbsent extends Schema.TaggedError<MailerAbsent>()("MailerAbsent", { message: Schema.String }) {}
