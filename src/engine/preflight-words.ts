import type { PreflightSubject } from '../diagnosis/preflight.ts';
import type { Dialect } from '../readers/written/dialect.ts';

type Line = PreflightSubject['findings'][number]['evidence'][number];

/** Every sentence and address of an answer in other words; names of causes stay. */
export function inWords(subject: PreflightSubject, dialect: Dialect): PreflightSubject {
  const { say } = dialect;
  return {
    ...subject,
    name: say(subject.name),
    address: say(subject.address),
    cluster: subject.cluster === null ? null : say(subject.cluster),
    findings: subject.findings.map((finding) => {
      const evidence = finding.evidence.map((line) => lineIn(line, dialect));
      return {
        ...finding,
        address: placeOf(evidence, subject.plan) ?? say(finding.address),
        summary: say(finding.summary),
        evidence,
        remedy: finding.remedy.map(({ text, command }) => ({ text: say(text), command })),
      };
    }),
    notObservable: subject.notObservable.map(({ stage, why, collect }) => ({
      stage,
      why: say(why),
      collect: dialect.collect(collect),
    })),
  };
}

/** Where the file itself says it first. */
function placeOf(evidence: readonly Line[], plan: string): string | null {
  return addressIn(evidence.find(({ locator }) => locator.startsWith(`${plan}#`))?.locator);
}

/** A quote at the place in the file that says it. */
function lineIn(line: Line, { source, say, place }: Dialect): Line {
  const address = addressIn(line.locator);
  const start = line.locator.slice(0, line.locator.length - (address?.length ?? 0));
  const locator = address === null ? line.locator : `${start}${say(place(address, line.excerpt))}`;
  return { ...line, source, locator, excerpt: say(line.excerpt) };
}

function addressIn(locator: string | undefined): string | null {
  const mark = locator?.indexOf('#') ?? -1;
  return locator === undefined || mark < 0 ? null : locator.slice(mark + 1);
}
