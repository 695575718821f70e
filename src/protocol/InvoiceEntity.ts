import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

/** One actor for each fiscal document: its way from the number to the authority's verdict. */
export const InvoiceEntity = Entity.make("Invoice", [
  /** A tell: do whatever the document's row says is next. */
  Rpc.make("Proceed"),
  /** A tell: send the e-mails that are due. */
  Rpc.make("Mail")
])
