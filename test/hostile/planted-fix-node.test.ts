/** Secrets beside Nodes and machines that a fix takes away: no page, document or record shows one. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fixPage, shownFix } from '../../src/apps/cli/pages/fix-page.ts';
import { type FixDocument, fixDocument } from '../../src/controllers/fix/document.ts';
import { fixNames } from '../../src/controllers/fix/name/fix-name.ts';
import { fixNodes } from '../../src/controllers/fix/node/fix-node.ts';
import { restartDocument } from '../../src/controllers/fix/node/restart-document.ts';
import type { FixStep } from '../../src/controllers/fix/fix.ts';
import { type NodeScene, nodeScene } from '../controllers/fix/node-scene.ts';
import { shareOf, tellShare } from '../share.ts';
import { shapedTexts } from './planted/gate.ts';
import { createSearch } from './planted/search.ts';
import { SHAPES } from './planted/shapes.ts';
import { assertNoSecretIn, type Lengths, writePlantedTable } from './planted/table.ts';

const SHAPES_OF = 4;
const chosen = new Set(shareOf(SHAPES.keys().toArray(), SHAPES_OF));
tellShare('shapes planted in fixes of nodes', chosen.size, SHAPES.length);

const search = createSearch();
const lengths: Lengths = new Map();

interface Fixed {
  readonly document: FixDocument;
  readonly records: string;
}

async function fixedBy(
  at: NodeScene,
  beginning: { readonly fix: string; readonly text: string },
  steps: readonly FixStep[],
): Promise<Fixed> {
  const { fix, text } = beginning;
  const why = { cause: null, text };
  const document = fixDocument({ fix, isDryRun: false, why }, `${fix}-1`, steps);
  const records = await at.recorder.read({ cluster: 'one', limit: 9 });
  return { document: shownFix(document), records: JSON.stringify(records) };
}

const PLACES_OF_NAMES = ['proof of a Node', 'owner of a bound Pod', 'system UUID', 'finding'];

async function fixedNames([says = '', owner = '', uuid = '', text = '']: readonly string[]) {
  const at = nodeScene();
  const own = { ready: 'Unknown', systemUUID: uuid, machineID: 'm', finalizers: [] };
  at.layNode('old', own);
  at.layNode('new', { ...own, ready: 'True', createdMs: 1 });
  at.layNode('kept', { ready: 'Unknown', finalizers: [text] });
  at.layPod('cart-1', { node: 'old', owner: { ...OWNER, name: owner } });
  const targets = ['old', 'kept'].map((name) => {
    const repair = { kind: 'delete-node', name, uid: at.uidOf(name), nowAs: 'new', says } as const;
    return { cause: 'old-name-node-left-behind', repair };
  });
  const steps = await fixNames({ id: 'name-1', isDryRun: false, targets, most: 5 }, at.tools());
  return await fixedBy(at, { fix: 'name', text }, steps);
}

const PLACES_OF_RESTARTS = ['output of a command', 'proof of a kubelet', 'content of a document'];

async function fixedKubelets([output = '', says = '', content = '']: readonly string[]) {
  const at = nodeScene();
  at.instances({ [ID]: 'running' });
  const agent = { InstanceId: ID, PingStatus: 'Online', PlatformType: 'Linux' };
  at.aws.answer('ssm:DescribeInstanceInformation', () => [{ InstanceInformationList: [agent] }]);
  at.aws.answer('ssm:GetDocument', () => {
    const Content = at.calls.length > 0 ? content : JSON.stringify(restartDocument());
    return [{ DocumentVersion: '1', Content }];
  });
  at.aws.answer('ssm:ListCommands', () => [
    {
      Commands: at.calls.map(({ input }) => ({ CommandId: 'c', Comment: input['Comment'] ?? '' })),
    },
  ]);
  at.aws.answer('ssm:GetCommandInvocation', () => [
    { Status: 'Failed', StandardErrorContent: output },
  ]);
  const repair = { kind: 'restart-kubelet', instanceId: ID, node: 'n1', says } as const;
  const targets = [{ cause: 'no-reregistration-after-deletion', repair }];
  const order = { id: 'node-1', isDryRun: false, targets, waitMs: 0 };
  const first = await fixNodes({ ...order, most: 1 }, at.tools());
  const second = await fixNodes({ ...order, most: 1 }, at.tools());
  return await fixedBy(at, { fix: 'node', text: says }, [...first.steps, ...second.steps]);
}

const ID = 'i-0123456789abcdef0';
const OWNER = { kind: 'ReplicaSet', name: 'cart', uid: 'rs-1', controller: true };

const FIXES = [
  { fix: 'name', places: PLACES_OF_NAMES, run: fixedNames, shows: /It is gone, as reading shows/ },
  { fix: 'node', places: PLACES_OF_RESTARTS, run: fixedKubelets, shows: /ended as Failed/ },
] as const;

describe('rollcall fix', () => {
  for (const { fix, places, run, shows } of FIXES)
    test(`${fix} shows no secret of what it takes away`, async () => {
      const texts = { page: '', json: '', records: '' };
      for (const { textAt } of shapedTexts(search.plant, places, (at) => chosen.has(at))) {
        const { document, records } = await run(places.map(textAt));
        texts.page += `${fixPage(document).join('\n')}\n`;
        texts.json += `${JSON.stringify(document)}\n`;
        texts.records += `${records}\n`;
      }
      assert.match(texts.page, shows);
      assertNoSecretIn(search, lengths, `fix ${fix}`, texts.page);
      assertNoSecretIn(search, lengths, `fix ${fix} -o json`, texts.json);
      assertNoSecretIn(search, lengths, `fix ${fix}, records`, texts.records);
    });
});

after(() => writePlantedTable(search, lengths));
