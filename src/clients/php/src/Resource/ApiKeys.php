<?php

declare(strict_types=1);

namespace Folio\Resource;

/** The API keys of the account: `$folio->apiKeys` */
final class ApiKeys extends ResourceMethods
{
    /**
     * Creates an API key, which only this response shows: `$folio->apiKeys->create(['name' => 'The shop'])['key']`
     *
     * The fields `capabilities`, `allowed_ips` and `expires_at` restrict the key:
     * `$folio->apiKeys->create(['capabilities' => ['create'], 'allowed_ips' => ['203.0.113.0/24']])`
     *
     * @param array<string, mixed> $apiKey
     * @return array<string, mixed>
     */
    public function create(array $apiKey, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/api-keys', $idempotencyKey, $apiKey);
    }

    /**
     * Yields all API keys, without the keys themselves: `foreach ($folio->apiKeys->list() as $key) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $query = []): \Generator
    {
        return $this->folio->pages('/v1/api-keys', $query);
    }

    /**
     * Returns an API key, without the key itself: `$folio->apiKeys->retrieve('key_…')['last4']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $id): array
    {
        return $this->get('/v1/api-keys/' . self::segment($id));
    }

    /**
     * Revokes an API key: `$folio->apiKeys->revoke('key_…')`
     *
     * @return array<string, mixed>
     */
    public function revoke(string $id): array
    {
        return $this->folio->request('DELETE', '/v1/api-keys/' . self::segment($id));
    }

    /**
     * Rolls an API key, which replaces it with a new one:
     * `$folio->apiKeys->roll('key_…', ['expires_in' => 3600])['key']`
     *
     * @param array<string, mixed> $options
     * @return array<string, mixed>
     */
    public function roll(string $id, array $options = [], ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/api-keys/' . self::segment($id) . '/roll', $idempotencyKey, $options);
    }
}
