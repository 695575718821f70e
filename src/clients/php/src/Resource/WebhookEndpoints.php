<?php

declare(strict_types=1);

namespace Folio\Resource;

/** Webhook endpoints: `$folio->webhookEndpoints` */
final class WebhookEndpoints extends ResourceMethods
{
    /**
     * Creates an endpoint: `$folio->webhookEndpoints->create(['url' => …, 'subscribed_events' => ['*']])['secret']`
     *
     * @param array<string, mixed> $endpoint
     * @return array<string, mixed>
     */
    public function create(array $endpoint, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/webhook-endpoints', $idempotencyKey, $endpoint);
    }

    /**
     * Yields all endpoints, without their secrets: `foreach ($folio->webhookEndpoints->list() as $endpoint) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $query = []): \Generator
    {
        return $this->folio->pages('/v1/webhook-endpoints', $query);
    }

    /**
     * Returns an endpoint: `$folio->webhookEndpoints->retrieve('we_…')['health']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $id): array
    {
        return $this->get('/v1/webhook-endpoints/' . self::segment($id));
    }

    /**
     * Updates an endpoint: `$folio->webhookEndpoints->update('we_…', ['is_active' => false])`
     *
     * @param array<string, mixed> $changes
     * @return array<string, mixed>
     */
    public function update(string $id, array $changes, ?string $idempotencyKey = null): array
    {
        return $this->patch('/v1/webhook-endpoints/' . self::segment($id), $idempotencyKey, $changes);
    }

    /**
     * Deletes an endpoint: `$folio->webhookEndpoints->delete('we_…')`
     *
     * @return array<string, mixed>
     */
    public function delete(string $id): array
    {
        return $this->folio->request('DELETE', '/v1/webhook-endpoints/' . self::segment($id));
    }

    /**
     * Rotates the signing secret: `$folio->webhookEndpoints->rotateSecret('we_…')['secret']`
     *
     * @return array<string, mixed>
     */
    public function rotateSecret(string $id, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/webhook-endpoints/' . self::segment($id) . '/rotate-secret', $idempotencyKey);
    }

    /**
     * Yields the deliveries of an endpoint:
     * `foreach ($folio->webhookEndpoints->deliveries('we_…', ['status' => 'failed']) as $one) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function deliveries(string $id, array $query = []): \Generator
    {
        return $this->folio->pages('/v1/webhook-endpoints/' . self::segment($id) . '/deliveries', $query);
    }

    /**
     * Delivers the events that the endpoint missed:
     * `$folio->webhookEndpoints->recover('we_…', ['since' => '2026-01-01T00:00:00Z'])`
     *
     * @param array<string, mixed> $recovery
     * @return array<string, mixed>
     */
    public function recover(string $id, array $recovery, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/webhook-endpoints/' . self::segment($id) . '/recover', $idempotencyKey, $recovery);
    }

    /**
     * Sends a test event: `$folio->webhookEndpoints->test('we_…')`
     *
     * @param array<string, mixed> $sample
     * @return array<string, mixed>
     */
    public function test(string $id, array $sample = [], ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/webhook-endpoints/' . self::segment($id) . '/test', $idempotencyKey, $sample);
    }
}
