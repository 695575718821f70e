<?php

declare(strict_types=1);

namespace Folio;

/**
 * The API as methods, by resource.
 *
 *     $folio = new Folio\Client('https://folio.example', getenv('FOLIO_API_KEY'));
 *     $customer = $folio->customers->create(['legal_name' => 'Cliente S.A.S.', …], 'customer-1');
 *
 * Objects are arrays with the API's fields; amounts are decimal strings. Every POST, PUT and PATCH has an idempotency
 * key: the caller's, or a new one for the call. Without a response, or after 429 or 5xx, the client retries with the
 * same key after 1, 2 and 4 seconds. Methods throw ApiException or NoAnswerException. An unusable argument throws
 * InvalidArgumentException or JsonException.
 */
final class Client
{
    public readonly Resource\Account $account;
    public readonly Resource\Accounts $accounts;
    public readonly Resource\ApiKeys $apiKeys;
    public readonly Resource\Customers $customers;
    public readonly Resource\Invoices $invoices;
    public readonly Resource\Documents $creditNotes;
    public readonly Resource\Documents $debitNotes;
    public readonly Resource\Acquirers $acquirers;
    public readonly Resource\Resolutions $resolutions;
    public readonly Resource\Events $events;
    public readonly Resource\PortalSessions $portalSessions;
    public readonly Resource\Requests $requests;
    public readonly Resource\AuditLog $auditLog;
    public readonly Resource\Notices $notices;
    public readonly Resource\WebhookEndpoints $webhookEndpoints;
    public readonly Resource\WebhookDeliveries $webhookDeliveries;
    public readonly Resource\Catalogs $catalogs;
    public readonly Resource\TestHelpers $testHelpers;

    private readonly Transport $transport;

    /**
     * @param string  $apiKey         `sk_test_…` or `sk_live_…`
     * @param ?string $version        the dated version, such as `2026-01-01`; if omitted, the account's default
     * @param float   $timeoutSeconds the time-out of each attempt
     * @param ?string $account        the account that a platform's key acts for, `ten_…`; only for a platform's key
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] string $apiKey,
        ?string $version = null,
        float $timeoutSeconds = 60.0,
        ?string $account = null,
    ) {
        $this->transport = new Transport($baseUrl, $apiKey, $version, $timeoutSeconds, $account);
        $this->account = new Resource\Account($this);
        $this->accounts = new Resource\Accounts($this);
        $this->apiKeys = new Resource\ApiKeys($this);
        $this->customers = new Resource\Customers($this);
        $this->invoices = new Resource\Invoices($this, 'invoices');
        $this->creditNotes = new Resource\Documents($this, 'credit-notes');
        $this->debitNotes = new Resource\Documents($this, 'debit-notes');
        $this->acquirers = new Resource\Acquirers($this);
        $this->resolutions = new Resource\Resolutions($this);
        $this->events = new Resource\Events($this);
        $this->portalSessions = new Resource\PortalSessions($this);
        $this->requests = new Resource\Requests($this);
        $this->auditLog = new Resource\AuditLog($this);
        $this->notices = new Resource\Notices($this);
        $this->webhookEndpoints = new Resource\WebhookEndpoints($this);
        $this->webhookDeliveries = new Resource\WebhookDeliveries($this);
        $this->catalogs = new Resource\Catalogs($this);
        $this->testHelpers = new Resource\TestHelpers($this);
    }

    /**
     * Sends any request of the API: `$folio->request('GET', '/v1/invoices', ['limit' => 10])['data']`
     *
     * @param array<string, string|int|bool|list<string>|null> $query
     * @param array<string, mixed>|string|null                  $body  a JSON object, or the bytes of a PNG or JPEG picture
     * @return array<string, mixed>
     */
    public function request(
        string $method,
        string $path,
        array $query = [],
        array|string|null $body = null,
        ?string $idempotencyKey = null,
    ): array {
        if ($idempotencyKey === null && in_array($method, ['POST', 'PUT', 'PATCH'], true)) {
            $idempotencyKey = self::newKey();
        }
        $answer = $this->send($method, $path, $query, $body, 'application/json', $idempotencyKey);
        $found = $answer->json();
        return is_array($found) ? $found : throw self::unknown($answer, $idempotencyKey);
    }

    /** Returns a file: `file_put_contents('1.pdf', $folio->download('/v1/invoices/inv_…/pdf'));` */
    public function download(string $path): string
    {
        return $this->send('GET', $path, [], null, '*/*', null)->body;
    }

    /**
     * Yields all objects of a list, newest first, and requests each page when needed:
     * `foreach ($folio->pages('/v1/customers') as $customer) { … }`
     *
     * @param array<string, string|int|bool|list<string>|null> $query `limit` is the page size; if omitted, 100
     * @return \Generator<int, array<string, mixed>>
     */
    public function pages(string $path, array $query = []): \Generator
    {
        $query += ['limit' => 100];
        do {
            $page = $this->request('GET', $path, $query);
            foreach ($page['data'] as $one) {
                // Not `yield from`, which would restart the generator's keys on each page.
                yield $one;
                $query['starting_after'] = $one['id'];
            }
        } while ($page['has_more'] && $page['data'] !== []);
    }

    /**
     * Returns the dated versions of the API, newest first: `$folio->versions()['data'][0]`
     *
     * @return array<string, mixed>
     */
    public function versions(): array
    {
        return $this->request('GET', '/v1/versions');
    }

    /**
     * @param array<string, string|int|bool|list<string>|null> $query
     * @param array<string, mixed>|string|null                  $body
     */
    private function send(
        string $method,
        string $path,
        array $query,
        array|string|null $body,
        string $accept,
        ?string $key,
    ): Http\Answer {
        if (!in_array($method, ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], true)) {
            throw new \InvalidArgumentException('method must be GET, POST, PUT, PATCH or DELETE');
        }
        if (preg_match('~^(/[\w.\~%:@-]+)+$~D', $path) !== 1 || preg_match('~/\.{1,2}(/|$)~', $path) === 1) {
            throw new \InvalidArgumentException('path must be like /v1/invoices, encoded, and without a query');
        }
        // json_encode would write an empty array as a list.
        $flags = JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION;
        $sent = is_array($body) ? json_encode((object) $body, $flags) : $body;
        $type = is_array($body) ? 'application/json' : (str_starts_with((string) $body, "\x89PNG") ? 'image/png' : 'image/jpeg');
        $answer = $this->transport->send($method, $path . self::encoded($query), $sent, $type, $accept, $key);
        if ($answer->isExecuting()) {
            $message = 'Another request with this idempotency key is still executing. Retry with the same key.';
            throw new NoAnswerException($message, $answer->status, $key);
        }
        if ($answer->status < 200 || $answer->status >= 300) {
            $error = $answer->json()['error'] ?? null;
            throw is_array($error) ? new ApiException($error, $answer->status, $key) : self::unknown($answer, $key);
        }
        return $answer;
    }

    /** @param array<string, string|int|bool|list<string>|null> $query */
    private static function encoded(array $query): string
    {
        $pairs = [];
        foreach ($query as $name => $value) {
            foreach (is_array($value) ? $value : [$value] as $one) {
                if ($one !== null) {
                    $text = is_bool($one) ? ($one ? 'true' : 'false') : (string) $one;
                    $pairs[] = rawurlencode((string) $name) . '=' . rawurlencode($text);
                }
            }
        }
        return $pairs === [] ? '' : '?' . implode('&', $pairs);
    }

    private static function unknown(Http\Answer $answer, ?string $key): NoAnswerException
    {
        $message = "The response with status $answer->status is not Folio's. Check the base URL, and any proxy.";
        return new NoAnswerException($message, $answer->status, $key);
    }

    /** A UUID of version 4. */
    private static function newKey(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr((ord($bytes[6]) & 0x0f) | 0x40);
        $bytes[8] = chr((ord($bytes[8]) & 0x3f) | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
