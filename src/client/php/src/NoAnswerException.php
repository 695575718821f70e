<?php

declare(strict_types=1);

namespace Folio;

/** No answer came, or one that is not Folio's, so the outcome is unknown: `catch (NoAnswerException) { tryAgainLater(); }` */
final class NoAnswerException extends FolioException
{
}
