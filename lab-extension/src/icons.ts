/** Our icon: an underline that something stands upon. */

import { LabIcon } from '@jupyterlab/ui-components';

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">
  <g class="tw-Icon" fill="none" stroke="#616161" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round">
    <path d="M8 1.4v3.4M10.3 6.2a2.5 2.5 0 1 1-4.6 0"/>
    <path d="M1.6 14l2.1-2 2.2 2 2.1-2 2.2 2 2.1-2 2.1 2"/>
  </g>
</svg>`;

export const torchwiseIcon = new LabIcon({ name: 'torchwise:icon', svgstr: SVG });
