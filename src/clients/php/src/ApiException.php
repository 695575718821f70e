<?php

declare(strict_types=1);

namespace Folio;

/**
 * Folio rejected or failed a request:
 * `catch (ApiException $error) { echo $error->status, $error->errorCode, $error->param; }`
 *
 * `errors` lists everything that is wrong with the request. `errorCode`, the message and `param` are those of the first
 * error. Include `requestId` when you report a problem. `getCode()` is PHP's own method, and returns the HTTP status
 * code.
 */
final class ApiException extends FolioException
{
    public readonly string $errorCode;
    public readonly string $type;
    public readonly ?string $param;
    public readonly string $docUrl;
    public readonly string $requestId;
    public readonly bool $hasMoreErrors;

    /** @var list<Violation> */
    public readonly array $errors;

    /** @param array<string, mixed> $error the member `error` of the response */
    public function __construct(array $error, int $status, ?string $idempotencyKey)
    {
        $this->errorCode = self::text($error, 'code');
        parent::__construct("$this->errorCode: " . self::text($error, 'message'), $status, $idempotencyKey);
        $this->code = $status;
        $this->type = self::text($error, 'type');
        $this->param = isset($error['param']) ? self::text($error, 'param') : null;
        $this->docUrl = self::text($error, 'doc_url');
        $this->requestId = self::text($error, 'request_id');
        $this->hasMoreErrors = ($error['has_more_errors'] ?? false) === true;
        $errors = is_array($error['errors'] ?? null) ? array_filter($error['errors'], is_array(...)) : [];
        $this->errors = array_map(
            static fn (array $one): Violation => new Violation(
                self::text($one, 'param'),
                self::text($one, 'code'),
                self::text($one, 'message'),
                isset($one['rule']) ? self::text($one, 'rule') : null,
            ),
            array_values($errors),
        );
    }

    /** @param array<string, mixed> $members */
    private static function text(array $members, string $name): string
    {
        return is_string($members[$name] ?? null) ? $members[$name] : '';
    }
}
