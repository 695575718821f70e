import type { Client } from "pg"

// The last 20 characters of an id, with a number before them: unique, and older than every id of the service.
const id = (column: string) =>
  `left(${column}, length(${column}) - 26) || lpad(copy::text, 6, '0') || right(${column}, 20)`

/** Changed columns of a copied row, by table and column. */
const changes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  invoices: {
    id: id("id"),
    number: "number + copy::bigint * 1000000000",
    full_number: "prefix || (number + copy::bigint * 1000000000)",
    cufe: "md5(cufe || copy) || md5(copy || cufe) || md5(copy || cufe || copy)"
  },
  invoice_documents: { invoice_id: id("invoice_id") },
  transitions: { invoice_id: id("invoice_id") },
  idempotency_keys: { value: "value || ' ' || copy" },
  events: { id: id("id"), object_id: id("object_id") },
  deliveries: { id: id("id"), event_id: id("event_id"), object_id: id("object_id") },
  attempts: { delivery_id: id("delivery_id") }
}

/**
 * Copies all stored rows of the invoices until there are about `count` invoices, each row as large as the service's
 * own. Needs a superuser, because it turns off the triggers of the tables meanwhile.
 */
export const multiplyInvoices = async (admin: Client, count: number) => {
  const { rows } = await admin.query("select count(*)::integer as n from invoices")
  const copies = Math.ceil(count / rows[0].n) - 1
  await admin.query("set session_replication_role = replica")
  for (const [table, changed] of Object.entries(changes)) {
    const { rows: columns } = await admin.query(
      "select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attidentity = ''",
      [table]
    )
    const names: ReadonlyArray<string> = columns.map(({ name }) => name)
    await admin.query(
      `insert into ${table} (${names.join(", ")}) select ${names.map((name) => changed[name] ?? name).join(", ")}
       from ${table}, generate_series(1, ${copies}) copy`
    )
    await admin.query(`vacuum analyze ${table}`)
  }
  await admin.query("checkpoint")
}
