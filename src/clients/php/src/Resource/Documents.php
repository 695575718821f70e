<?php

declare(strict_types=1);

namespace Folio\Resource;

use Folio\Client;

/** The methods that invoices, credit notes and debit notes share. Each example uses one of the three. */
class Documents extends ResourceMethods
{
    protected readonly string $path;

    public function __construct(Client $folio, string $kind)
    {
        parent::__construct($folio);
        $this->path = "/v1/$kind";
    }

    protected function of(string $id, string $tail = ''): string
    {
        return "$this->path/" . self::segment($id) . $tail;
    }

    /**
     * Issues a document: `$folio->invoices->create($order, 'order-1001')['id']`
     *
     * @param array<string, mixed> $document
     * @return array<string, mixed>
     */
    public function create(array $document, ?string $idempotencyKey = null): array
    {
        return $this->post($this->path, $idempotencyKey, $document);
    }

    /**
     * Validates a document without storing it: `$folio->invoices->validate($order)['errors']`
     *
     * @param array<string, mixed> $document
     * @return array<string, mixed>
     */
    public function validate(array $document): array
    {
        return $this->post("$this->path/validate", null, $document);
    }

    /**
     * Yields documents, newest first:
     * `foreach ($folio->invoices->list(['created[gte]' => '2026-01-01T00:00:00Z']) as $one) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $query = []): \Generator
    {
        return $this->folio->pages($this->path, $query);
    }

    /**
     * Returns a document: `$folio->invoices->retrieve('inv_…')['status']`
     *
     * @return array<string, mixed>
     */
    public function retrieve(string $id): array
    {
        return $this->get($this->of($id));
    }

    /**
     * Cancels a draft without a number: `$folio->invoices->cancel('inv_…')`
     *
     * @return array<string, mixed>
     */
    public function cancel(string $id, ?string $idempotencyKey = null): array
    {
        return $this->post($this->of($id, '/cancel'), $idempotencyKey);
    }

    /**
     * Retries a failed document, which keeps its number: `$folio->creditNotes->retry('cn_…')`
     *
     * @return array<string, mixed>
     */
    public function retry(string $id, ?string $idempotencyKey = null): array
    {
        return $this->post($this->of($id, '/retry'), $idempotencyKey);
    }

    /**
     * Corrects a rejected document, which keeps its number: `$folio->invoices->correct('inv_…', $order)['status']`
     *
     * @param array<string, mixed> $document
     * @return array<string, mixed>
     */
    public function correct(string $id, array $document, ?string $idempotencyKey = null): array
    {
        return $this->post($this->of($id, '/correct'), $idempotencyKey, $document);
    }

    /**
     * Returns the timeline of a document: `$folio->debitNotes->timeline('dn_…')['data']`
     *
     * @return array<string, mixed>
     */
    public function timeline(string $id): array
    {
        return $this->get($this->of($id, '/timeline'));
    }

    /**
     * Sends the email of a document again: `$folio->invoices->sendEmail('inv_…', ['to' => 'copia@cliente.test'])`
     *
     * @param array<string, mixed> $email
     * @return array<string, mixed>
     */
    public function sendEmail(string $id, array $email = [], ?string $idempotencyKey = null): array
    {
        return $this->post($this->of($id, '/email'), $idempotencyKey, $email);
    }

    /**
     * Yields the emails of a document, newest first: `foreach ($folio->invoices->emails('inv_…') as $email) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function emails(string $id, array $query = []): \Generator
    {
        return $this->folio->pages($this->of($id, '/emails'), $query);
    }

    /** Returns the PDF of a document: `file_put_contents('1.pdf', $folio->invoices->pdf('inv_…'));` */
    public function pdf(string $id): string
    {
        return $this->folio->download($this->of($id, '/pdf'));
    }

    /** Returns the signed XML of a document: `file_put_contents('1.xml', $folio->invoices->xml('inv_…'));` */
    public function xml(string $id): string
    {
        return $this->folio->download($this->of($id, '/xml'));
    }
}
