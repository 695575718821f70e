<?php

declare(strict_types=1);

namespace Folio;

/**
 * A call failed: `catch (FolioException $error) { save($error->idempotencyKey); }`
 *
 * To retry the call, send the same body with the same key: Folio executes it once.
 */
abstract class FolioException extends \RuntimeException
{
    /**
     * @param ?int    $status         the HTTP status code, or null without a response
     * @param ?string $idempotencyKey the idempotency key of all attempts of the call, or null
     */
    public function __construct(
        string $message,
        public readonly ?int $status,
        public readonly ?string $idempotencyKey,
    ) {
        parent::__construct($message);
    }
}
