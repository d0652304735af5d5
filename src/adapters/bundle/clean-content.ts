import { markOfAuthority } from '../../evidence/checksum.ts';
import { isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { redact, redactValue } from '../../evidence/redact.ts';
import { withRequestedUser } from '../../readers/kube/signing-request.ts';
import { cleanUserData } from './clean-user-data.ts';

/** Puts back what an answer holds in base64 and is no secret, though it looks like one. */
function withPublicParts(clean: JsonObject, given: JsonObject): JsonObject {
  const entries = Object.entries(clean).map(([key, entry]): [string, Json] => {
    const was = given[key];
    if (key === 'UserData' && typeof was === 'string') return [key, cleanUserData(was)];
    const value = key === 'UserData' ? textAt(was, 'Value') : null;
    if (value !== null) return [key, { Value: cleanUserData(value) }];
    const authority = key === 'certificateAuthority' ? textAt(was, 'data') : null;
    if (authority !== null) return [key, { data: redact(markOfAuthority(authority)) }];
    if (Array.isArray(entry) && Array.isArray(was))
      return [key, entry.map((one, index) => inside(one, was[index]))];
    return [key, inside(entry, was)];
  });
  return Object.fromEntries(entries);
}

function inside(clean: Json, given: Json | undefined): Json {
  return isObject(clean) && isObject(given) ? withPublicParts(clean, given) : clean;
}

/** What a certificate is requested for is kept, of the request itself nothing. */
function withRequestedUsers(content: Json): Json {
  if (!isObject(content) || content['kind'] !== 'CertificateSigningRequestList') return content;
  const items = listAt(content, 'items').map((one) =>
    isObject(one) ? withRequestedUser(one) : one,
  );
  return { ...content, items };
}

/** What was collected, its secrets cut out, and what only looks like a secret kept. */
export function cleanContent(content: Json): Json {
  const clean = redactValue(withRequestedUsers(content));
  const holdsPublicParts =
    isObject(content) &&
    /Attribute|LaunchTemplate|DescribeCluster/.test(textAt(content, 'call') ?? '');
  return holdsPublicParts ? inside(clean, content) : clean;
}
