/** Secrets beside what a fix changes: neither its page nor its document nor its records show one. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fixPage, shownFix } from '../../src/apps/cli/pages/fix-page.ts';
import { fixCni } from '../../src/controllers/fix/cni/fix-cni.ts';
import { fixEntry } from '../../src/controllers/fix/auth/fix-entry.ts';
import { fixMap } from '../../src/controllers/fix/auth/fix-map.ts';
import { mappingOf } from '../../src/controllers/fix/auth/node-mapping.ts';
import { type FixDocument, fixDocument } from '../../src/controllers/fix/document.ts';
import { withoutRawEvent } from '../../src/evidence/aws/trail.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { cniOrder, cniScene } from '../controllers/fix/cni-scene.ts';
import { fixPods } from '../../src/controllers/fix/pods/fix-pods.ts';
import { podsNamedIn } from '../../src/controllers/fix/pods/target.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { findingOf } from '../../src/diagnosis/testing.ts';
import { PODS } from '../controllers/gate/scene.ts';
import { EDITOR, ROLE, scene } from '../controllers/fix/scene.ts';
import { layPod, REPLICA_SET } from '../controllers/slip-ins/scene.ts';
import { shareOf, tellShare } from '../share.ts';
import { shapedTexts } from './planted/gate.ts';
import { createSearch } from './planted/search.ts';
import { SHAPES } from './planted/shapes.ts';
import { assertNoSecretIn, type Lengths, writePlantedTable } from './planted/table.ts';

const SHAPES_OF = 4;
const chosen = new Set(shareOf(SHAPES.keys().toArray(), SHAPES_OF));
tellShare('shapes planted in fixes', chosen.size, SHAPES.length);

const search = createSearch();
const lengths: Lengths = new Map();

const PLACES = ['aws-auth comment', 'aws-auth user name', 'finding of a fix'];
const PLACES_OF_ENTRY = ['caller of an entry', 'address of a caller', 'rest of a raw event'];
const PLACES_OF_CNI = ['add-on values', 'CNI variable', 'finding of a CNI fix'];

const PLACES_OF_PODS = ['proof of a Pod', 'name of an owner', 'finding of a fix of Pods'];

interface Fixed {
  readonly document: FixDocument;
  readonly records: string;
}

/** A fix of a map with texts in the lines around the change, and in the reason. */
async function fixed(comment: string, username: string, text: string): Promise<Fixed> {
  const at = scene();
  const comments = comment.split(/\r?\n/).map((line) => `# ${line}\n`);
  const user = `- rolearn: arn:aws:iam::111122223333:role/a\n  username: ${JSON.stringify(username)}\n`;
  at.put(`${user}${comments.slice(-3).join('')}`);
  const why = { kind: 'finding', name: 'aws-auth-missing', text } as const;
  const mapping = mappingOf(ROLE, 'linux');
  const order = { id: 'auth-1', isDryRun: false, why, mapping, editor: EDITOR };
  const step = await fixMap(order, at.tools());
  const beginning = { fix: 'auth', isDryRun: false, why: { cause: 'aws-auth-missing', text } };
  const records = await at.recorder.read({ cluster: 'one', limit: 9 });
  return {
    document: shownFix(fixDocument(beginning, 'auth-1', [step])),
    records: JSON.stringify(records),
  };
}

/** A fix of the CNI: as an add-on with a text in its values, and as a DaemonSet with one in a variable. */
async function fixedCni(value: string, former: string, text: string): Promise<Fixed> {
  const cause = 'subnet-out-of-pod-addresses';
  const order = cniOrder(cause, { why: { kind: 'finding', name: cause, text } });
  const addOn = cniScene({ addOn: JSON.stringify({ env: { OTHER: value } }) });
  const manifest = cniScene();
  manifest.putAwsNode({ WARM_IP_TARGET: former });
  const steps = [
    ...(await fixCni(order, addOn.tools())),
    ...(await fixCni(order, manifest.tools())),
  ];
  const beginning = { fix: 'cni', isDryRun: false, why: { cause, text } };
  const records = await manifest.recorder.read({ cluster: 'one', limit: 9 });
  return {
    document: shownFix(fixDocument(beginning, 'cni-1', steps)),
    records: JSON.stringify(records),
  };
}

/** A fix of an access entry that CloudTrail tells of, with a text in each part of the event. */
async function fixedEntry(arn: string, sourceIPAddress: string, rest: string): Promise<Fixed> {
  const at = scene();
  const raw = {
    userIdentity: { arn, accessKeyId: rest },
    sourceIPAddress,
    userAgent: rest,
    requestParameters: { name: 'shop', principalArn: ROLE, tags: { a: rest } },
  };
  const event = {
    EventId: 'e',
    EventName: 'DeleteAccessEntry',
    EventSource: 'eks.amazonaws.com',
    EventTime: '2026-11-22T08:00:00Z',
    CloudTrailEvent: JSON.stringify(raw),
  };
  at.aws.answer('cloudtrail:LookupEvents', () => [{ Events: [withoutRawEvent(event)] }]);
  at.aws.answer('eks:DescribeAccessEntry', () => {
    throw new PortError({ failure: 'not-found', message: 'There is none.' });
  });
  const why = { kind: 'request', name: '', text: 'It was asked for.' } as const;
  const question = { cluster: 'shop', role: ROLE, type: 'linux' } as const;
  const steps = await fixEntry({ id: 'auth-1', isDryRun: true, why, ...question }, at.tools(true));
  const beginning = { fix: 'auth', isDryRun: true, why: { cause: null, text: why.text } };
  return { document: shownFix(fixDocument(beginning, 'auth-1', steps)), records: '' };
}

/** A Pod that is evicted, with a text in its proof, and one in the name of its owner. */
async function fixedPods(says: string, owner: string, text: string): Promise<Fixed> {
  const at = scene();
  at.api.serve(PODS);
  const parts = { owner: { ...REPLICA_SET, name: owner } };
  const uid = layPod({ api: at.api, clock: { nowMs: () => 0 } }, 'cart-1', parts);
  const cause = 'irsa-webhook-did-not-mutate';
  const pod = { namespace: 'shop', name: 'cart-1', uid, since: null, says } as const;
  const repairs = [{ kind: 'replace-pod', by: 'new-pod', ...pod } as const];
  const findings = [findingOf(cause, 'credentialed', { repairs })];
  const targets = podsNamedIn({ subjects: [{ findings }] } as unknown as DiagnosisDocument);
  const order = { id: 'pods-1', isDryRun: false, targets, most: 1, waitMs: 0 };
  const steps = await fixPods(order, at.tools());
  const beginning = { fix: 'pods', isDryRun: false, why: { cause, text } };
  const records = await at.recorder.read({ cluster: 'one', limit: 9 });
  return {
    document: shownFix(fixDocument(beginning, 'pods-1', steps)),
    records: JSON.stringify(records),
  };
}

describe('rollcall fix', () => {
  test('shows no secret of who took an access entry away', async () => {
    const texts = { page: '', json: '' };
    for (const { textAt } of shapedTexts(search.plant, PLACES_OF_ENTRY, (at) => chosen.has(at))) {
      const [arn = '', address = '', rest = ''] = PLACES_OF_ENTRY.map(textAt);
      const { document } = await fixedEntry(arn, address, rest);
      texts.page += `${fixPage(document).join('\n')}\n`;
      texts.json += `${JSON.stringify(document)}\n`;
    }
    assert.match(texts.page, /Lost by: /);
    assertNoSecretIn(search, lengths, 'fix auth, lost by', texts.page);
    assertNoSecretIn(search, lengths, 'fix auth, lost by, -o json', texts.json);
  });

  test('shows no secret of a Pod that it has replaced', async () => {
    const texts = { page: '', json: '', records: '' };
    for (const { textAt } of shapedTexts(search.plant, PLACES_OF_PODS, (at) => chosen.has(at))) {
      const [says = '', owner = '', text = ''] = PLACES_OF_PODS.map(textAt);
      const { document, records } = await fixedPods(says, owner, text);
      texts.page += `${fixPage(document).join('\n')}\n`;
      texts.json += `${JSON.stringify(document)}\n`;
      texts.records += `${records}\n`;
    }
    assert.match(texts.page, /It was evicted/);
    assertNoSecretIn(search, lengths, 'fix pods', texts.page);
    assertNoSecretIn(search, lengths, 'fix pods -o json', texts.json);
    assertNoSecretIn(search, lengths, 'fix pods, records', texts.records);
  });

  test('shows no secret of the settings of the CNI', async () => {
    const texts = { page: '', json: '', records: '' };
    for (const { textAt } of shapedTexts(search.plant, PLACES_OF_CNI, (at) => chosen.has(at))) {
      const [value = '', former = '', text = ''] = PLACES_OF_CNI.map(textAt);
      const { document, records } = await fixedCni(value, former, text);
      texts.page += `${fixPage(document).join('\n')}\n`;
      texts.json += `${JSON.stringify(document)}\n`;
      texts.records += `${records}\n`;
    }
    assert.match(texts.page, /update-addon/);
    assert.match(texts.page, /\+ WARM_IP_TARGET=2/);
    assertNoSecretIn(search, lengths, 'fix cni', texts.page);
    assertNoSecretIn(search, lengths, 'fix cni -o json', texts.json);
    assertNoSecretIn(search, lengths, 'fix cni, records', texts.records);
  });

  test('shows no secret that is beside its change', async () => {
    const texts = { page: '', json: '', records: '' };
    const shaped = shapedTexts(search.plant, PLACES, (at) => chosen.has(at));
    for (const { textAt } of shaped) {
      const [comment = '', username = '', text = ''] = PLACES.map(textAt);
      const { document, records } = await fixed(comment, username, text);
      texts.page += `${fixPage(document).join('\n')}\n`;
      texts.json += `${JSON.stringify(document)}\n`;
      texts.records += `${records}\n`;
    }
    assert.ok(texts.page.split(ROLE).length > shaped.length / 2);
    assertNoSecretIn(search, lengths, 'fix auth', texts.page);
    assertNoSecretIn(search, lengths, 'fix auth -o json', texts.json);
    assertNoSecretIn(search, lengths, 'fix auth, records', texts.records);
  });
});

after(() => writePlantedTable(search, lengths));
