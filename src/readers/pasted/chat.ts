import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';

/** Exports of chats: what people and bots wrote there is text, and no record of a log. */

const MESSAGES_MAX = 2000;
/** Slack's time of a message, which is its name too. */
const SLACK_TIME = /^\d{10}\.\d{3,6}$/;
/** Of the other chats, as their exports and APIs call it. */
const MESSAGE_TYPE = /^(?:message|Default|Reply|0|19)$/;
const WRITERS = ['user', 'username', 'bot_id', 'author', 'from', 'from_id', 'sender'];
const TIMES = ['ts', 'timestamp', 'date', 'createdDateTime', 'sent_at'];

function hasOneOf(value: JsonObject, names: readonly string[]): boolean {
  return names.some((name) => Object.hasOwn(value, name));
}

function writtenIn(message: JsonObject): string | null {
  return textAt(message, 'text') ?? textAt(message, 'content') ?? textAt(message, 'body.content');
}

/** A message of Slack, Discord, Telegram or Teams: a text, who wrote it, and when. */
function isMessage(value: Json): value is JsonObject {
  if (!isObject(value) || writtenIn(value) === null) return false;
  const type = textAt(value, 'type') ?? textAt(value, 'messageType');
  const isOfSlack = type === 'message' && SLACK_TIME.test(textAt(value, 'ts') ?? '');
  return (
    isOfSlack ||
    (MESSAGE_TYPE.test(type ?? '') && hasOneOf(value, WRITERS) && hasOneOf(value, TIMES))
  );
}

/** The text with the characters that Slack writes as entities, and its links as addresses. */
function plain(text: string): string {
  return text
    .replaceAll(/<(https?:[^<|>]{1,500})(?:\|[^<>]{0,500})?>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** What one message says, with what a bot hung on it. */
function saidIn(message: JsonObject): string {
  const attached = listAt(message, 'attachments').map((one) =>
    isObject(one) ? (textAt(one, 'text') ?? textAt(one, 'fallback') ?? '') : '',
  );
  const parts = [writtenIn(message) ?? '', ...attached].filter((part) => part.trim() !== '');
  return plain(parts.join('\n'));
}

/** What was written in a chat, one paragraph for each message; null for any other value. */
export function chatOf(value: Json): string | null {
  const nested = isObject(value) ? (at(value, 'messages') ?? at(value, 'value')) : value;
  const list = Array.isArray(nested) ? (nested as readonly Json[]) : [value];
  if (list.length === 0 || list.length > MESSAGES_MAX || !list.every(isMessage)) return null;
  return list.map(saidIn).join('\n\n');
}
