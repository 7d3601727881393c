{
  'targets': [
    {
      'target_name': 'procscope',
      'sources': ['<!@(node native/sources.js common napi)'],
      'include_dirs': [
        'native',
        "<!(node -p \"require('node-addon-api').include_dir\")",
      ],
      'defines': [
        'NAPI_VERSION=8',
        'NODE_ADDON_API_CPP_EXCEPTIONS',
        'NODE_ADDON_API_DISABLE_DEPRECATED',
        # A worker that is terminated takes no exception any more: to insist would end the program.
        'NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS',
      ],
      # Node's own settings turn exceptions off and choose an older C++; both come earlier on the
      # command line, so the list is cleaned and not only added to.
      'cflags!': ['-O3'],
      'cflags_cc!': ['-fno-exceptions', '-std=gnu++17'],
      'cflags': ['-O2', '-Wall', '-Wextra', '-fvisibility=hidden'],
      'cflags_cc': ['-std=c++20', '-fexceptions'],
      'conditions': [
        ['OS=="linux"', {
          'sources': ['<!@(node native/sources.js linux)'],
          'defines': ['PROCSCOPE_PLATFORM_LINUX=1'],
          # A reader thread that hangs in the kernel outlives the worker environment that started it.
          # Unloading the code under it would crash the host program when the kernel lets go.
          'ldflags': ['-Wl,-z,nodelete'],
        }],
        ['OS!="linux"', {
          'defines': ['PROCSCOPE_PLATFORM_UNSUPPORTED=1'],
        }],
        ['OS=="mac"', {
          'xcode_settings': {
            'CLANG_CXX_LANGUAGE_STANDARD': 'c++20',
            'CLANG_CXX_LIBRARY': 'libc++',
            'GCC_ENABLE_CPP_EXCEPTIONS': 'YES',
            'GCC_OPTIMIZATION_LEVEL': '2',
            'GCC_SYMBOLS_PRIVATE_EXTERN': 'YES',
            'MACOSX_DEPLOYMENT_TARGET': '11.0',
            'WARNING_CFLAGS': ['-Wall', '-Wextra'],
          },
        }],
        ['OS=="win"', {
          'defines': ['NOMINMAX', 'WIN32_LEAN_AND_MEAN', '_HAS_EXCEPTIONS=1'],
          'msvs_settings': {
            'VCCLCompilerTool': {
              'ExceptionHandling': 1,
              'AdditionalOptions': ['/std:c++20', '/utf-8', '/W3'],
            },
          },
        }],
      ],
    },
  ],
}
