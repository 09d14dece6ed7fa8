;;; torchwise.el --- Torchwise as the language server of Python buffers  -*- lexical-binding: t; -*-

;; Put this into your init file.  `M-x eglot' starts it in a Python buffer; with the hook it starts by itself.

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((python-mode python-ts-mode) . ("torchwise" "server"))))

(add-hook 'python-mode-hook 'eglot-ensure)
(add-hook 'python-ts-mode-hook 'eglot-ensure)
