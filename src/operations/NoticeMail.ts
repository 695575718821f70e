import type { Message } from "../invoices/mail/Mailer.ts"
import { htmlMessage, oneLine } from "../documents/email/EmailPackage.ts"
import { firstSentence } from "./rules/AccountFindings.ts"
import type { DueEmail } from "./store/Notices.ts"

/** The email of a notice, in Spanish as all emails of the Colombian profile. */
export const noticeMail = ({ id, issuer, message_es }: Pick<DueEmail, "id" | "issuer" | "message_es">): Message => {
  const message = oneLine(message_es)
  const paragraphs = [
    `Señores ${oneLine(issuer)}:`,
    message,
    `Folio envía este aviso una vez, al correo del emisor. Referencia: ${id}`
  ]
  return {
    subject: firstSentence(message),
    text: `${paragraphs.join("\n\n")}\n`,
    html: htmlMessage(paragraphs),
    from_name: "Folio",
    reply_to: null,
    archive: null
  }
}
