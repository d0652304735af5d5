import { METADATA_ADDRESS, type MetadataFlow } from '../../domain/network/metadata-path.ts';

/** Both directions of a connection, as `/proc/net/nf_conntrack` and `conntrack -L` print them. */
const TUPLES =
  /\bsrc=(?<from>[\d.]+) dst=(?<to>[\d.]+) sport=(?<fromPort>\d{1,5}) dport=(?<port>\d{1,5}) .*?\bsrc=(?<answeredBy>[\d.]+) dst=[\d.]+ /;
const STATE = /\btcp +6 +\d+ (?<state>[A-Z_]+) /;
const LINES_MAX = 200_000;
const FLOWS_MAX = 1_000;
const LINE_CHARS_MAX = 1_000;

/** The TCP connections to port 80 of instance metadata, oldest first; at most 1,000. */
export function readMetadataFlows(text: string): readonly MetadataFlow[] {
  const flows: MetadataFlow[] = [];
  const lines = text.split('\n', LINES_MAX);
  for (const line of lines) {
    if (flows.length === FLOWS_MAX) break;
    const flow = line.length > LINE_CHARS_MAX ? null : flowIn(line);
    if (flow !== null) flows.push(flow);
  }
  return flows;
}

function flowIn(line: string): MetadataFlow | null {
  // Nearly every line is about something else.
  if (!line.includes(` dst=${METADATA_ADDRESS} `)) return null;
  const { from, to, fromPort, port, answeredBy } = TUPLES.exec(line)?.groups ?? {};
  const { state } = STATE.exec(line)?.groups ?? {};
  if (from === undefined || answeredBy === undefined || state === undefined) return null;
  if (to !== METADATA_ADDRESS || port !== '80') return null;
  return { from, fromPort: Number(fromPort), answeredBy, state };
}
