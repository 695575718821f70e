import type { DocumentKind } from "../../../../schemas/FiscalDocument.ts"
import { type Document, type DocumentCollection, markerOf, numberOf, rangeOf } from "./Document.ts"
import { type Entry, isSuccess, isUnknown, meaning } from "../Journal.ts"
import { Judge } from "../Judge.ts"

const kinds: ReadonlyArray<readonly [DocumentKind, DocumentCollection]> = [
  ["invoice", "invoices"],
  ["credit_note", "credit-notes"],
  ["debit_note", "debit-notes"]
]

/** Promises about the count of documents and their numbers. */
export class Numbers extends Judge {
  /**
   * Checks the final state. `documents` are all documents of a book; `inOrder`: numbers follow the order of creation.
   */
  finish(book: number, documents: ReadonlyArray<Document>, { inOrder }: { readonly inOrder: boolean }): void {
    for (const [kind, collection] of kinds) {
      const own = documents.filter(({ object }) => object === kind)
      this.numbered(book, kind, own, inOrder)
      this.counted(book, collection, own)
    }
  }

  /** Checks that each kind is numbered on its own, without a gap or a duplicate. */
  private numbered(book: number, kind: DocumentKind, documents: ReadonlyArray<Document>, inOrder: boolean): void {
    const range = rangeOf(this.options.books[book]!, kind)
    const byNumber = documents
      .filter(({ full_number }) => full_number !== "")
      .toSorted((a, b) => (numberOf(a, range) < numberOf(b, range) ? -1 : 1))
    if (byNumber.some((document, index) => numberOf(document, range) !== range.from + BigInt(index))) {
      this.say(`the numbers of each ${kind} of book ${book} are ${byNumber.map((one) => one.full_number).join()}`)
    }
    if (inOrder && byNumber.some(({ id }, index) => index > 0 && id < byNumber[index - 1]!.id)) {
      const ids = byNumber.map(({ id }) => id).join()
      this.say(`the numbers of each ${kind} of book ${book} are not in order of creation: ${ids}`)
    }
  }

  /**
   * Checks that each successful request created exactly one document, and each request without a response at most one.
   */
  private counted(book: number, collection: DocumentCollection, documents: ReadonlyArray<Document>): void {
    const makers = this.journal.entries.filter(
      (entry) => entry.collection === collection && entry.kind === "create" && entry.book === book && entry.key !== null
    )
    const requests = Map.groupBy(makers, (entry) => `${entry.era} ${entry.apiKey} ${entry.key} ${meaning(entry)}`)
    const ids = new Set<string>(documents.map(({ id }) => id))
    const claimed = new Set<string>()
    const room = new Map<string, { readonly least: number; readonly most: number }>()
    for (const entries of requests.values()) {
      const marker = String(markerOf(entries[0]?.body))
      const made = entries.find(isSuccess)
      const { least, most } = room.get(marker) ?? { least: 0, most: 0 }
      const possible = made !== undefined || entries.some(isUnknown)
      room.set(marker, { least: least + (made === undefined ? 0 : 1), most: most + (possible ? 1 : 0) })
      if (made === undefined) continue
      const id = idOf(made)
      if (!ids.has(id)) this.say(`${id} was returned to ${made.apiKey.slice(0, 12)}, and does not exist`)
      if (claimed.has(id)) this.say(`${id} was returned to two requests`)
      claimed.add(id)
    }
    const counts = Map.groupBy(documents, (document) => String(markerOf(document)))
    for (const [marker, { least, most }] of room) {
      const count = counts.get(marker)?.length ?? 0
      if (count < least || count > most)
        this.say(`request ${marker} created ${count} of ${collection}, not ${least} to ${most}`)
    }
    for (const marker of counts.keys())
      if (!room.has(marker)) this.say(`an object of ${collection} by ${marker}, whose request never succeeded`)
  }
}

const idOf = (entry: Entry): string => String(JSON.parse(entry.reply!.text).id)
