<?php

declare(strict_types=1);

namespace Folio\Resource;

/** The accounts of a platform, for a platform's key: `$folio->accounts` */
final class Accounts extends ResourceMethods
{
    /**
     * Creates an account: `$folio->accounts->create(['legal_name' => 'Ferretería S.A.S.', …])['id']`
     *
     * @param array<string, mixed> $account
     * @return array<string, mixed>
     */
    public function create(array $account, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/accounts', $idempotencyKey, $account);
    }

    /**
     * Yields all accounts: `foreach ($folio->accounts->list(['status' => 'active']) as $account) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $query = []): \Generator
    {
        return $this->folio->pages('/v1/accounts', $query);
    }

    /**
     * Returns an account: `$folio->accounts->retrieve('ten_…')['live']['steps']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $id): array
    {
        return $this->get('/v1/accounts/' . self::segment($id));
    }

    /**
     * Updates an account: `$folio->accounts->update('ten_…', ['email' => 'facturas@ferreteria.test'])`
     *
     * @param array<string, mixed> $changes
     * @return array<string, mixed>
     */
    public function update(string $id, array $changes, ?string $idempotencyKey = null): array
    {
        return $this->patch('/v1/accounts/' . self::segment($id), $idempotencyKey, $changes);
    }

    /**
     * Suspends an account, which then creates no documents: `$folio->accounts->suspend('ten_…', ['reason' => 'Mora'])`
     *
     * @param array<string, mixed> $reason
     * @return array<string, mixed>
     */
    public function suspend(string $id, array $reason, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/accounts/' . self::segment($id) . '/suspend', $idempotencyKey, $reason);
    }

    /**
     * Resumes a suspended account: `$folio->accounts->resume('ten_…')`
     *
     * @return array<string, mixed>
     */
    public function resume(string $id, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/accounts/' . self::segment($id) . '/resume', $idempotencyKey);
    }

    /**
     * Closes an account for ever: `$folio->accounts->close('ten_…', ['reason' => 'Contract ended'])`
     *
     * @param array<string, mixed> $reason
     * @return array<string, mixed>
     */
    public function close(string $id, array $reason, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/accounts/' . self::segment($id) . '/close', $idempotencyKey, $reason);
    }

    /**
     * Returns the documents of an account by day, kind and outcome, of the last 30 days by default:
     * `$folio->accounts->usage('ten_…', ['from' => '2026-11-01', 'to' => '2026-11-30'])['days']`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return array<string, mixed>
     */
    public function usage(string $id, array $query = []): array
    {
        return $this->folio->request('GET', '/v1/accounts/' . self::segment($id) . '/usage', $query);
    }

    /**
     * Creates an API key for an account, which only this response shows:
     * `$folio->accounts->createApiKey('ten_…', ['name' => 'ERP'])['key']`
     *
     * @param array<string, mixed> $apiKey
     * @return array<string, mixed>
     */
    public function createApiKey(string $id, array $apiKey, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/accounts/' . self::segment($id) . '/api-keys', $idempotencyKey, $apiKey);
    }
}
