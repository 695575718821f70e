<?php

declare(strict_types=1);

namespace Folio\Resource;

/** Invoices: `$folio->invoices` */
final class Invoices extends Documents
{
    /**
     * Annuls an invoice with a credit note over all lines:
     * `$folio->invoices->annul('inv_…', ['reason' => 'Pedido cancelado'])`
     *
     * @param array<string, mixed> $annulment
     * @return array<string, mixed>
     */
    public function annul(string $id, array $annulment, ?string $idempotencyKey = null): array
    {
        return $this->post($this->of($id, '/annul'), $idempotencyKey, $annulment);
    }
}
