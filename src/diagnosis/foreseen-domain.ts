import { plannedDomain } from '../domain/planned/dhcp.ts';
import type { FactKind } from '../evidence/kinds.ts';
import { type CauseSpec, clear, type Details, found, step } from './cause.ts';
import { foreseen, NOT_SHOWN } from './foresight.ts';

/**
 * A cause about the DHCP domain of machines that kubeadm joins, found in a plan that gives one.
 *
 * @param isWrong asked of the planned domain, without blanks around it, and of that of the region
 */
export function foreseenDomain<K extends FactKind, S extends string>(
  cause: CauseSpec<K, S>,
  isWrong: (domain: string, ofRegion: string) => boolean,
  summary: (details: Details) => string,
): CauseSpec<K, S> {
  return foreseen(
    cause,
    (plan, group) => {
      const given = plannedDomain(plan, group);
      if (given.kind !== 'given') return given.kind === 'unknown' ? NOT_SHOWN : clear;
      const { domain, ofRegion, options } = given;
      if (!isWrong(domain.trim(), ofRegion)) return clear;
      const proof = [
        plan.quote(options, `domain_name "${domain}"`),
        plan.quote(group.fact, `kubeadm joins the machines of ${group.name}`),
      ];
      return found({ domain, ofRegion }, proof, 'likely');
    },
    {
      summary,
      remedy: ({ ofRegion }) => [
        step(
          `Set domain_name = "${ofRegion ?? '<region>.compute.internal'}" in the aws_vpc_dhcp_options.`,
        ),
      ],
    },
  );
}
