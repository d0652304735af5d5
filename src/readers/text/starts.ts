/** The first lines of passages, by which they are told apart. */

export const TABLE_HEADER =
  /^\s*(?:NAMESPACE\s+)?(?:NAME|LAST SEEN|LASTSEEN|FIRSTSEEN|FIRST SEEN|KIND)\s+[A-Z][A-Z -]+/;
export const YAML_START =
  /^(?:---\s*$|(?:apiVersion|kind|metadata|data|mapRoles|mapUsers|discovery|spec|status|items|accessConfig|nodeGroups|call|input|answer):)/;
export const DESCRIBE_START = /^Name:\s+\S/;
/** A field in the left column of `kubectl describe`. */
export const DESCRIBE_FIELD = /^[A-Z][A-Za-z ()-]{2,40}:(?:\s|$)/;
/** The beginning of a record of a log. */
export const RECORD_START =
  /^[\s*>"'[(]*(?:<\d+>|\[\s*\d+\.\d+\]|[A-Z][a-z]{2} +\d{1,2} [\d:]{8}|\d{4}[-/]\d{2}[-/]\d{2}[T ]|[IWEFD]\d{4} \d{2}:|\{"|time=|level=|\d+\.\d+\.\d+\.\d+ |\d{2}:\d{2}:\d{2}|\w+\.go:\d+\]|"?[A-Z][^"=]{5,120}" \w+=|\[\w[\w-]*\] )/;
/** `[preflight] Running …` opens with a bracket too. */
export const JSON_START = /^\s*(?:\{\s*(?:"|\}|$|\w[\w./-]{0,60}:)|\[\s*(?:[{["\]\d]|$))/;
/** What clients print instead of an answer. */
export const ANSWER_START =
  /^(?:Error from server|[Ee]rror: |An error occurred|No resources found|The connection to the server|Unable to connect)/;
