<?php

declare(strict_types=1);

namespace Folio\Resource;

/** Invoices: `$folio->invoices` */
final class Invoices extends Documents
{
    /**
     * Says what is wrong with an invoice, and stores nothing: `$folio->invoices->validate($order)['errors']`
     *
     * @param array<string, mixed> $invoice
     * @return array<string, mixed>
     */
    public function validate(array $invoice): array
    {
        return $this->post("$this->path/validate", null, $invoice);
    }

    /**
     * Issues a credit note over all lines: `$folio->invoices->annul('inv_…', ['reason' => 'Pedido cancelado'])`
     *
     * @param array<string, mixed> $annulment
     * @return array<string, mixed>
     */
    public function annul(string $id, array $annulment, ?string $idempotencyKey = null): array
    {
        return $this->post($this->of($id, '/annul'), $idempotencyKey, $annulment);
    }
}
