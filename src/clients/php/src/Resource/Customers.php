<?php

declare(strict_types=1);

namespace Folio\Resource;

/** Customers: `$folio->customers` */
final class Customers extends ResourceMethods
{
    /**
     * Registers a customer: `$folio->customers->create($buyer, 'customer-1')['id']`
     *
     * @param array<string, mixed> $customer
     * @return array<string, mixed>
     */
    public function create(array $customer, ?string $idempotencyKey = null): array
    {
        return $this->post('/v1/customers', $idempotencyKey, $customer);
    }

    /**
     * Validates a customer without storing it: `$folio->customers->validate($buyer)['errors']`
     *
     * @param array<string, mixed> $customer
     * @return array<string, mixed>
     */
    public function validate(array $customer): array
    {
        return $this->post('/v1/customers/validate', null, $customer);
    }

    /**
     * Yields customers, newest first: `foreach ($folio->customers->list(['name' => 'muñoz']) as $customer) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $query = []): \Generator
    {
        return $this->folio->pages('/v1/customers', $query);
    }

    /**
     * Registers or replaces the customer with an identification:
     * `$folio->customers->replace('31-900000001', $buyer)['id']`
     *
     * @param array<string, mixed> $customer
     * @return array<string, mixed>
     */
    public function replace(string $identification, array $customer, ?string $idempotencyKey = null): array
    {
        return $this->put('/v1/customers/' . self::segment($identification), $idempotencyKey, $customer);
    }

    /**
     * Returns a customer: `$folio->customers->retrieve('cust_…')['legal_name']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $id): array
    {
        return $this->get('/v1/customers/' . self::segment($id));
    }

    /**
     * Updates a customer: `$folio->customers->update('cust_…', ['email' => 'compras@example.com'])`
     *
     * @param array<string, mixed> $changes
     * @return array<string, mixed>
     */
    public function update(string $id, array $changes, ?string $idempotencyKey = null): array
    {
        return $this->patch('/v1/customers/' . self::segment($id), $idempotencyKey, $changes);
    }

    /**
     * Deletes a customer; its invoices stay: `$folio->customers->delete('cust_…')`
     *
     * @return array<string, mixed>
     */
    public function delete(string $id): array
    {
        return $this->folio->request('DELETE', '/v1/customers/' . self::segment($id));
    }
}
