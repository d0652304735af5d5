import { context } from './sign.ts';

/** Somebody says that the kubelet announces another address than the one by which it is reached. */
export const WRONG_ADDRESS_TOLD = {
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
} as const;
