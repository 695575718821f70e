<?php

declare(strict_types=1);

namespace Folio\Resource;

/** Deliveries of one event to one endpoint: `$folio->webhookDeliveries` */
final class WebhookDeliveries extends ResourceMethods
{
    /**
     * Returns a delivery: `$folio->webhookDeliveries->retrieve('whd_…')['status']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $id): array
    {
        return $this->get('/v1/webhook-deliveries/' . self::segment($id));
    }

    /**
     * Yields the attempts of a delivery: `foreach ($folio->webhookDeliveries->attempts('whd_…') as $attempt) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function attempts(string $id, array $query = []): \Generator
    {
        return $this->folio->pages('/v1/webhook-deliveries/' . self::segment($id) . '/attempts', $query);
    }

    /**
     * Redelivers an event: `$folio->webhookDeliveries->redeliver('whd_…')`
     *
     * @return array<string, mixed>
     */
    public function redeliver(string $id, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/webhook-deliveries/' . self::segment($id) . '/redeliver', $idempotencyKey);
    }
}
