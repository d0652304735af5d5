import { context } from './sign.ts';

/** What shows that the kubelet announces another address than the one by which it is reached. */
export const WRONG_ADDRESS = {
  wrongAddressTold: context(
    ['client-output', 'unknown'],
    /\b(?:[Kk]ubelet|[Nn]odes?)\b.{0,60}\b(?:register|report|announce|advertise|pick|select|choose|use|registering|reporting|announcing|advertising|picking|selecting|choosing|using)(?:e?s|e?d)?\b.{0,40}\b(?:wrong|incorrect|secondary)\b.{0,20}\b(?:IP|address)/,
    {
      isTold: true,
      anchors: [
        'wrong IP',
        'wrong address',
        'wrong internal',
        'wrong private',
        'incorrect',
        'secondary',
      ],
    },
  ),
  secondInterfaceTold: context(
    ['client-output', 'unknown'],
    /\b(?:(?:[Ss]econd|[Ss]econdary|[Aa]dditional|[Aa]nother)\b.{0,12}\b(?:ENI|NIC|[Ii]nterface)s?\b|(?:2nd|extra) (?:ENI|NIC|interface)\b)(?:.{0,40}?\b(?<network>\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2})\b)?/,
    {
      isTold: true,
      anchors: [
        'econd ',
        'econdary',
        'dditional',
        'nother ',
        '2nd ENI',
        '2nd NIC',
        '2nd interface',
        'extra ENI',
        'extra NIC',
        'extra interface',
      ],
    },
  ),
  machineAddresses: context(
    ['client-output'],
    /^The machine has the addresses (?<addresses>[\d./ ]{9,200})$/,
  ),
} as const;
