/** Recorded by test/service/contract/examples.test.ts: real responses of every operation. */
export const EXAMPLES = {
  "listVideos": {
    "success": {
      "value": {
        "success": true,
        "data": [
          {
            "id": "vid_CGrtJ8pTrgzzF2etVsBzF",
            "uuid": "0192f4a1-7c3e-7d58-9b1e-3f6a2c8d5e90",
            "title": "Product tour",
            "description": "What Dhara does, in a minute and a half.",
            "status": "ready",
            "quality": "720p",
            "addons": {
              "branding": false,
              "encryption": false
            },
            "durationSeconds": 90.5,
            "width": 1280,
            "height": 720,
            "sizeBytes": 21840012,
            "tags": [
              "tour",
              "public"
            ],
            "metadata": {
              "courseId": "42"
            },
            "thumbnailUrl": "https://video.example/media/posters/0192f4a1-7c3e-7d58-9b1e-3f6a2c8d5e90.jpg",
            "createdAt": "2026-05-04T09:30:00.000Z",
            "updatedAt": "2026-05-04T09:32:11.480Z",
            "readyAt": "2026-05-04T09:32:11.480Z"
          }
        ],
        "pagination": {
          "limit": 1,
          "total": 1,
          "hasMore": false,
          "nextCursor": null,
          "page": 1,
          "totalPages": 1
        }
      }
    },
    "INVALID_PARAMETER": {
      "value": {
        "success": false,
        "error": {
          "code": "INVALID_PARAMETER",
          "message": "Parameter \"limit\" must be a whole number from 1 to 100.",
          "status": 400
        }
      }
    },
    "INVALID_API_KEY": {
      "value": {
        "success": false,
        "error": {
          "code": "INVALID_API_KEY",
          "message": "The API key is invalid. Send x-service-key once, with the whole key and nothing else.",
          "status": 401
        }
      }
    },
    "ACCOUNT_SUSPENDED": {
      "value": {
        "success": false,
        "error": {
          "code": "ACCOUNT_SUSPENDED",
          "message": "This account is suspended.",
          "status": 403
        }
      }
    },
    "METHOD_NOT_ALLOWED": {
      "value": {
        "success": false,
        "error": {
          "code": "METHOD_NOT_ALLOWED",
          "message": "PUT is not allowed here.",
          "status": 405
        }
      }
    },
    "INTERNAL_ERROR": {
      "value": {
        "success": false,
        "error": {
          "code": "INTERNAL_ERROR",
          "message": "Something went wrong on our side.",
          "status": 500
        }
      }
    },
    "SERVICE_UNAVAILABLE": {
      "value": {
        "success": false,
        "error": {
          "code": "SERVICE_UNAVAILABLE",
          "message": "The service is temporarily unavailable. Try again.",
          "status": 503
        }
      }
    }
  },
  "getVideo": {
    "success": {
      "value": {
        "success": true,
        "data": {
          "id": "vid_CGrtJ8pTrgzzF2etVsBzF",
          "uuid": "0192f4a1-7c3e-7d58-9b1e-3f6a2c8d5e90",
          "title": "Product tour",
          "description": "What Dhara does, in a minute and a half.",
          "status": "ready",
          "quality": "720p",
          "addons": {
            "branding": false,
            "encryption": false
          },
          "durationSeconds": 90.5,
          "width": 1280,
          "height": 720,
          "sizeBytes": 21840012,
          "tags": [
            "tour",
            "public"
          ],
          "metadata": {
            "courseId": "42"
          },
          "thumbnailUrl": "https://video.example/media/posters/0192f4a1-7c3e-7d58-9b1e-3f6a2c8d5e90.jpg",
          "createdAt": "2026-05-04T09:30:00.000Z",
          "updatedAt": "2026-05-04T09:32:11.480Z",
          "readyAt": "2026-05-04T09:32:11.480Z",
          "playableRungs": [
            "audio",
            "480p",
            "720p"
          ],
          "renditions": [
            {
              "quality": "480p",
              "width": 854,
              "height": 480,
              "bitrate": 1142000,
              "codecs": "avc1.64001f",
              "sizeBytes": 9310200
            },
            {
              "quality": "720p",
              "width": 1280,
              "height": 720,
              "bitrate": 2486000,
              "codecs": "avc1.640020",
              "sizeBytes": 19870400
            }
          ],
          "audio": {
            "bitrate": 131200,
            "codecs": "mp4a.40.2",
            "sizeBytes": 1484000,
            "tracks": [
              {
                "language": "und",
                "label": "Main",
                "isDefault": true,
                "isDescription": false,
                "bitrate": 131200,
                "codecs": "mp4a.40.2",
                "sizeBytes": 1484000
              }
            ]
          },
          "captions": [],
          "failure": null
        }
      }
    },
    "INVALID_PARAMETER": {
      "value": {
        "success": false,
        "error": {
          "code": "INVALID_PARAMETER",
          "message": "Parameter \"fields\" is not known here.",
          "status": 400
        }
      }
    },
    "VIDEO_NOT_FOUND": {
      "value": {
        "success": false,
        "error": {
          "code": "VIDEO_NOT_FOUND",
          "message": "Video not found.",
          "status": 404
        }
      }
    },
    "INVALID_API_KEY": {
      "value": {
        "success": false,
        "error": {
          "code": "INVALID_API_KEY",
          "message": "The API key is invalid. Send x-service-key once, with the whole key and nothing else.",
          "status": 401
        }
      }
    },
    "ACCOUNT_SUSPENDED": {
      "value": {
        "success": false,
        "error": {
          "code": "ACCOUNT_SUSPENDED",
          "message": "This account is suspended.",
          "status": 403
        }
      }
    },
    "METHOD_NOT_ALLOWED": {
      "value": {
        "success": false,
        "error": {
          "code": "METHOD_NOT_ALLOWED",
          "message": "PUT is not allowed here.",
          "status": 405
        }
      }
    },
    "INTERNAL_ERROR": {
      "value": {
        "success": false,
        "error": {
          "code": "INTERNAL_ERROR",
          "message": "Something went wrong on our side.",
          "status": 500
        }
      }
    },
    "SERVICE_UNAVAILABLE": {
      "value": {
        "success": false,
        "error": {
          "code": "SERVICE_UNAVAILABLE",
          "message": "The service is temporarily unavailable. Try again.",
          "status": 503
        }
      }
    }
  },
  "createPlaybackToken": {
    "success": {
      "value": {
        "success": true,
        "data": {
          "token": "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ2aWRfLi4uIn0.c2lnbmF0dXJl",
          "videoId": "vid_CGrtJ8pTrgzzF2etVsBzF",
          "expiresAt": "2026-05-04T10:05:00.000Z",
          "expiresIn": 300,
          "manifestUrl": "https://video.example/v1/video/playback/manifest/eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ2aWRfLi4uIn0.c2lnbmF0dXJl"
        }
      }
    },
    "INVALID_PARAMETER": {
      "value": {
        "success": false,
        "error": {
          "code": "INVALID_PARAMETER",
          "message": "Parameter \"ttl\" is not known here.",
          "status": 400
        }
      }
    },
    "VIDEO_NOT_FOUND": {
      "value": {
        "success": false,
        "error": {
          "code": "VIDEO_NOT_FOUND",
          "message": "Video not found.",
          "status": 404
        }
      }
    },
    "VIDEO_NOT_READY": {
      "value": {
        "success": false,
        "error": {
          "code": "VIDEO_NOT_READY",
          "message": "Video not playable yet (status: queued).",
          "status": 409
        }
      }
    },
    "INVALID_API_KEY": {
      "value": {
        "success": false,
        "error": {
          "code": "INVALID_API_KEY",
          "message": "The API key is invalid. Send x-service-key once, with the whole key and nothing else.",
          "status": 401
        }
      }
    },
    "ACCOUNT_SUSPENDED": {
      "value": {
        "success": false,
        "error": {
          "code": "ACCOUNT_SUSPENDED",
          "message": "This account is suspended.",
          "status": 403
        }
      }
    },
    "METHOD_NOT_ALLOWED": {
      "value": {
        "success": false,
        "error": {
          "code": "METHOD_NOT_ALLOWED",
          "message": "GET is not allowed here.",
          "status": 405
        }
      }
    },
    "RATE_LIMIT_EXCEEDED": {
      "value": {
        "success": false,
        "error": {
          "code": "RATE_LIMIT_EXCEEDED",
          "message": "Daily limit of 1000 playback tokens exceeded",
          "status": 429
        }
      }
    },
    "INTERNAL_ERROR": {
      "value": {
        "success": false,
        "error": {
          "code": "INTERNAL_ERROR",
          "message": "Something went wrong on our side.",
          "status": 500
        }
      }
    },
    "SERVICE_UNAVAILABLE": {
      "value": {
        "success": false,
        "error": {
          "code": "SERVICE_UNAVAILABLE",
          "message": "The service is temporarily unavailable. Try again.",
          "status": 503
        }
      }
    }
  },
  "getManifest": {
    "success": {
      "value": {
        "success": true,
        "data": {
          "url": "https://video.example/media/GRANT/vid_CGrtJ8pTrgzzF2etVsBzF/master.m3u8",
          "type": "application/vnd.apple.mpegurl",
          "videoId": "vid_CGrtJ8pTrgzzF2etVsBzF",
          "title": "Product tour",
          "durationSeconds": 90.5,
          "posterUrl": "https://video.example/media/posters/0192f4a1-7c3e-7d58-9b1e-3f6a2c8d5e90.jpg",
          "storyboardUrl": null,
          "chaptersUrl": null,
          "captions": [],
          "expiresAt": "2026-05-04T10:05:00.000Z"
        }
      }
    },
    "INVALID_PARAMETER": {
      "value": {
        "success": false,
        "error": {
          "code": "INVALID_PARAMETER",
          "message": "Parameter \"quality\" is not known here.",
          "status": 400
        }
      }
    },
    "INVALID_PLAYBACK_TOKEN": {
      "value": {
        "success": false,
        "error": {
          "code": "INVALID_PLAYBACK_TOKEN",
          "message": "The playback token is invalid.",
          "status": 401
        }
      }
    },
    "METHOD_NOT_ALLOWED": {
      "value": {
        "success": false,
        "error": {
          "code": "METHOD_NOT_ALLOWED",
          "message": "PUT is not allowed here.",
          "status": 405
        }
      }
    },
    "DOMAIN_NOT_ALLOWED": {
      "value": {
        "success": false,
        "error": {
          "code": "DOMAIN_NOT_ALLOWED",
          "message": "This video does not play on this site.",
          "status": 403
        }
      }
    },
    "PLAYBACK_TOKEN_EXPIRED": {
      "value": {
        "success": false,
        "error": {
          "code": "PLAYBACK_TOKEN_EXPIRED",
          "message": "The playback token has expired. Create a new one.",
          "status": 401
        }
      }
    },
    "VIDEO_NOT_READY": {
      "value": {
        "success": false,
        "error": {
          "code": "VIDEO_NOT_READY",
          "message": "Video not playable yet (status: queued).",
          "status": 409
        }
      }
    },
    "ACCOUNT_SUSPENDED": {
      "value": {
        "success": false,
        "error": {
          "code": "ACCOUNT_SUSPENDED",
          "message": "This account is suspended.",
          "status": 403
        }
      }
    },
    "VIDEO_NOT_FOUND": {
      "value": {
        "success": false,
        "error": {
          "code": "VIDEO_NOT_FOUND",
          "message": "Video not found.",
          "status": 404
        }
      }
    },
    "INTERNAL_ERROR": {
      "value": {
        "success": false,
        "error": {
          "code": "INTERNAL_ERROR",
          "message": "Something went wrong on our side.",
          "status": 500
        }
      }
    },
    "SERVICE_UNAVAILABLE": {
      "value": {
        "success": false,
        "error": {
          "code": "SERVICE_UNAVAILABLE",
          "message": "The service is temporarily unavailable. Try again.",
          "status": 503
        }
      }
    }
  }
};
