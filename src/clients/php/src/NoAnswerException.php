<?php

declare(strict_types=1);

namespace Folio;

/**
 * The outcome is unknown, without a response of Folio:
 * `catch (NoAnswerException $error) { retryLater($error->idempotencyKey); }`
 */
final class NoAnswerException extends FolioException
{
}
