<?php

declare(strict_types=1);

namespace Folio;

/**
 * A call failed: `catch (FolioException $error) { save($error->idempotencyKey); }`
 *
 * To repeat the call, send the same body with the same key: nothing is done twice.
 */
abstract class FolioException extends \RuntimeException
{
    /**
     * @param ?int    $status         the HTTP status, or null if nothing came
     * @param ?string $idempotencyKey the key that all attempts of the call carried, or null
     */
    public function __construct(
        string $message,
        public readonly ?int $status,
        public readonly ?string $idempotencyKey,
    ) {
        parent::__construct($message);
    }
}
